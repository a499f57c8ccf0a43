"""The logger of OpenAI's baselines and diffusion models: the means of the last steps as a small table.

    ----------------------------
    | grad_norm     | 0.144    |
    | lg_loss_scale | 23.3     |
    | loss          | 0.185    |
    | step          | 3.27e+03 |
    ----------------------------

A table is one step, quoted at its row of the step. Tables without a step and a loss by these names, as learners of
policies print them, are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..footprint import footprint_of
from ..step_line import find_numbers
from ..text import Text
from . import Parser
from ._job_lines import Message, messages
from ._step_runs import Steps

# | step          | 3.27e+03 |
ROW = re.compile(
    r"^\| (?P<name>step|loss|grad_norm) {1,40}\| (?P<value>[-+]?\d[\d.]{0,20}(?:e[-+]?\d{1,3})?|nan|inf) {0,40}\|$"
)
STEP_ROW = re.compile(r"^\| step {1,40}\| \d[\d.]{0,20}(?:e\+?\d{1,3})? {0,40}\|$")
RULE = re.compile(r"^-{10,200}$")
INTERESTING = re.compile(r"^(?:\| (?:step|loss|grad_norm) |-{10})")


def read(text: Text) -> Iterator[Evidence]:
    quotes: dict[int, str] = {}
    steps = Steps(text.name, quotes.__getitem__)
    for message, row in _tables(text):
        told = message._replace(text=f"step {row.pop('step')} | " + " | ".join(f"{n} {v}" for n, v in row.items()))
        if numbers := find_numbers(told.text):
            steps.add(told, numbers)
            quotes[told.line.number] = told.line.quote
    yield from steps.facts()


def _tables(text: Text) -> Iterator[tuple[Message, dict[str, str]]]:
    """The row of the step of each whole table, and the table's numbers."""
    row: dict[str, str] = {}
    at: Message | None = None
    for message in messages(text, INTERESTING):
        if RULE.match(message.text):
            if at and "loss" in row:
                yield at, row
            row, at = {}, None
        elif found := ROW.match(message.text):
            row[found["name"]] = found["value"]
            if found["name"] == "step" and STEP_ROW.match(message.text):
                row["step"], at = str(int(float(found["value"]))), message


PARSER = Parser(
    tool="a trainer that prints tables",
    medium="job-log",
    footprint=footprint_of(STEP_ROW),
    read=read,
)
