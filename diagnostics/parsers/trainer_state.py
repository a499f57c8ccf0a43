"""`trainer_state.json`, which the Hugging Face Trainer writes into every checkpoint.

      "log_history": [
        {
          "epoch": 0.1,
          "grad_norm": 1.25,
          "learning_rate": 5e-05,
          "loss": 2.31,
          "step": 10
        },

Each entry of the history is a step; those of evaluations are skipped. An entry on one line is read as any step line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..footprint import footprint_of
from ..step_line import find_numbers
from ..text import Text
from . import Parser
from ._job_lines import Message, message
from ._step_runs import Steps

HISTORY = re.compile(r'^\s{0,20}"log_history"\s?: \[')
OPENED = re.compile(r"^\s{1,20}\{\s*$")
CLOSED = re.compile(r"^\s{1,20}\}")
#       "loss": 2.31,
VALUE = re.compile(r'^\s{1,20}"(\w{1,60})": ([-+.\w]{1,40}),?\s*$')
ENDED = re.compile(r"^\s{0,20}\]")


def read(text: Text) -> Iterator[Evidence]:
    quotes: dict[int, str] = {}
    steps = Steps(text.name, quotes.__getitem__)
    inside = False
    first: Message | None = None
    values: list[str] = []
    for line in text.lines():
        row = line.text[:200]
        if not inside:
            inside = HISTORY.match(row) is not None
        elif OPENED.match(row):
            first, values = message(line), []
        elif first and (found := VALUE.match(row)):
            values.append(f'"{found[1]}": {found[2]}')
        elif first and CLOSED.match(row):
            entry = first._replace(text="{" + ", ".join(values) + "}")
            if numbers := find_numbers(entry.text):
                steps.add(entry, numbers)
                quotes[entry.line.number] = entry.line.quote
            first = None
        elif ENDED.match(row):
            inside = False
    yield from steps.facts()


PARSER = Parser(tool="the Trainer's state", medium="job-log", footprint=footprint_of(HISTORY), read=read)
