"""Losses as a table with a heading: a column of steps or epochs first, and the quantities that a trainer logs.

    iter   loss_cls  loss_box_reg  lr
    540    811.4     4.02          0.0054
    556    nan       nan           0.0056

    step,reward,kl,grad_norm
    42,0.44,7.7,88
    43,0.00,nan,nan

Columns are divided by commas, bars, tabs or two blanks and more. Rows under steps or iterations with one loss (or a
total) are steps, as a line a step in a log would be. Of any other quantity, and under epochs, only that it is no number
from some row to the end is told. Columns of evaluations, a cell that holds anything but a number, and tables with a
single row are skipped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from ..evidence import Evidence, Severity, Source, Subject
from ..evidence.training import NonFiniteValue
from ..footprint import footprint_of
from ..step_line import find_numbers
from ..text import Line, Text
from . import Parser
from ._job_lines import message
from ._step_runs import Steps

LARGEST = 256 << 10  # bytes
FEWEST = 2  # rows
_LOGGED = (
    r"(?:[\w/.-]{1,30}[ _/-])?(?:loss|cost|nll|xent|perplexity|ppl|grad(?:ient)?[ _-]?norm|gnorm|kl(?:[ _]div)?)"
    r"(?:[ _/-][\w/.-]{1,30})?(?: max| mean)?"
)
_SEP = r"(?: {0,3}[,|]| {2}|\t)[ \t]{0,30}"
_CELL = r"[^\s,|]{1,40}(?: [^\s,|]{1,40}){0,5}"
# iter   loss_cls  loss_box_reg  lr      step,reward,kl,grad_norm      epoch  lr    train-loss  train-TER
HEADING = re.compile(
    r"(?i)^[ \t|]{0,6}(?:global[_ ])?(?:step|iter(?:ation)?|update|batch|epoch)s?"
    rf"{_SEP}(?:{_CELL}{_SEP}){{0,12}}{_LOGGED}[ \t]{{0,30}}(?=$|[,|\t]| {{2}})"
)
CELLS = re.compile(r"[ \t]{0,20}[,|][ \t]{0,20}|\t{1,4}| {2,60}")
LOGGED = re.compile(rf"(?i)^{_LOGGED}$")
LOSS = re.compile(
    r"(?i)^(?:(?:train(?:ing)?|total|mean|avg|lm)[ _/-])?(?:loss|nll|xent)(?:[ _/-](?:total|train|step))?$"
)
NORM = re.compile(r"(?i)^(?:grad(?:ient)?[ _-]?norm|gnorm)(?: max| mean)?$")
EPOCHS = re.compile(r"(?i)^epochs?$")
OF_EVALUATION = re.compile(r"(?i)\b(?:val|valid|validation|eval|dev|test|best|min)(?:\b|_)")
STEP = re.compile(r"^\d{1,12}$")
NUMBER = re.compile(r"(?i)^[-+]?(?:\d{1,12}(?:\.\d{1,18})?(?:e[-+]?\d{1,4})?|nan|inf(?:inity)?)$")


class Row(NamedTuple):
    """One row of a table, by the names of its columns."""

    line: Line
    step: str
    cells: dict[str, str]


def read(text: Text) -> Iterator[Evidence]:
    if len(text.data) > LARGEST:
        return
    for heading in text.matching(HEADING):
        names = _cells(heading.text)
        if HEADING.match(heading.text) and len(rows := list(_rows(text, heading, names))) >= FEWEST:
            one = next((name for name in names if LOSS.match(name)), None)
            counted = one if not EPOCHS.match(names[0]) else None
            norm = next((name for name in names if NORM.match(name)), None)
            yield from _steps(text, rows, counted, norm)
            told = {counted, norm} if counted else set()
            yield from _lost(text, rows, {name for name in names if LOGGED.match(name)} - told)


def _cells(row: str) -> list[str]:
    return CELLS.split(row[:2000].strip().strip("|").strip())


def _rows(text: Text, heading: Line, names: list[str]) -> Iterator[Row]:
    for line in text.after(heading, 20_000):
        cells = _cells(line.text)
        if len(cells) == len(names) and STEP.match(cells[0]):
            yield Row(line, cells[0], dict(zip(names[1:], cells[1:], strict=True)))
        elif not set(line.text) <= set("-+=|: \t"):  # the rule below a heading
            return


def _steps(text: Text, rows: list[Row], loss: str | None, norm: str | None) -> Iterator[Evidence]:
    """The rows as steps, where the table has one loss."""
    quotes: dict[int, str] = {}
    steps = Steps(text.name, quotes.__getitem__)
    for row in rows if loss else ():
        values = {"loss": row.cells[loss or ""], "grad_norm": row.cells.get(norm or "", "")}
        said = "".join(f" | {name} {value}" for name, value in values.items() if NUMBER.match(value))
        told = message(row.line)._replace(text=f"step {row.step}{said}")
        if said and (numbers := find_numbers(told.text)):
            steps.add(told, numbers)
            quotes[row.line.number] = row.line.quote
    yield from steps.facts()


def _lost(text: Text, rows: list[Row], names: set[str]) -> Iterator[NonFiniteValue]:
    """The first row from which on a quantity is no number any more."""
    for name in sorted(names):
        if OF_EVALUATION.search(name):
            continue
        values = [(row, row.cells[name]) for row in rows if NUMBER.match(row.cells.get(name, ""))]
        lost: Row | None = None
        for row, value in values:
            lost = None if math.isfinite(float(value)) else lost or row
        if lost and len(values) >= FEWEST:
            yield NonFiniteValue(
                source=Source(text.name, lost.line.number, lost.line.quote),
                subject=Subject(),
                severity=Severity.CRITICAL,
                quantity=name,
                step=int(lost.step),
            )


PARSER = Parser(tool="a table of losses", medium="job-log", footprint=footprint_of(HEADING), read=read)
