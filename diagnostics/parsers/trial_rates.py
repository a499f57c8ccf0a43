"""Rows of trials with the rate that each reached.

    --data_dir=/share/imagenet     311 images/sec
    synthetic data               : 1606 images/sec throughout

    1 node          : samples_per_second_per_gpu 30
    2 nodes         : samples_per_second_per_gpu 10

Of rates in one unit, one below half of the best is slow, and the others are well. Rows of steps and of ranks are no
conditions. A file in which most lines are no such rows is skipped; tables with a heading are read by `trial_tables`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.people import Trial
from ..rates import RATE, speed
from ..text import Text
from . import Parser
from ._trial_words import are_most_of, pace, short_lines, trial
from .trial_tables import read as tables

# samples_per_second_per_gpu 30      tokens/s/GPU: 1250.4      images/sec = 812
NAMED_RATE = re.compile(
    r"\b(?P<unit>(?:img|image|sample|token|tok|example|sequence|iter|step|batch)(?:e?s)?"
    "(?:/s(?:ec)?|[_ ]?per[_ ]s(?:ec(?:ond)?)?)(?:[/_ ](?:per[_ ])?(?:gpu|device|card|rank))?)"
    r"[ =:]{1,4}(?P<value>\d{1,9}(?:\.\d{1,6})?)$",
    re.I,
)
# what a condition ends in: a colon, an arrow, a bar or two blanks
APART = re.compile(r"(?:[:>|][ \t]|[ \t]{2})$")
LONGEST_CONDITION = 80
NO_CONDITION = re.compile(
    r"^\W{0,4}(?:\d(?!\d{0,4}\+? ?(?:nodes?|machines?|hosts?)\b)"
    r"|(?:global_?)?(?:step|iter|iteration|epoch|batch|rank|gpu|worker|host|node)s?\b)",
    re.I,
)


def read(text: Text) -> Iterator[Trial]:
    rows = [
        (line, condition, rate)
        for line in short_lines(text)
        if (rate := RATE.search(line.text) or NAMED_RATE.search(line.text.rstrip()))
        and (condition := _condition(line.text, rate))
    ]
    units = {rate["unit"].lower() for _, _, rate in rows}
    if not are_most_of(text, rows) or len(units) > 1 or next(tables(text), None):
        return
    speeds = [speed(float(rate["value"]), rate["unit"]) for _, _, rate in rows]
    for (line, condition, rate), reached in zip(rows, speeds, strict=True):
        yield trial(text, line, condition, line.text[rate.start() :].strip(), pace(reached, max(speeds)))


def _condition(row: str, rate: re.Match[str]) -> str:
    """What stands before a rate, when it is apart from it and names a condition; else nothing."""
    before = row[: rate.start()]
    condition = before.lstrip(" \t|").rstrip(" \t|:=->")
    named = APART.search(before) and 3 <= len(condition) <= LONGEST_CONDITION and not NO_CONDITION.match(condition)
    return condition if named else ""


PARSER = Parser(
    tool="rates of trials",
    medium="trials",
    footprint=rf"(?i)(?:[:>|] |[ \t]{{2}}|\b(?:to|only|about|at) ){RATE.pattern}|{NAMED_RATE.pattern}",
    read=read,
)
