"""One work on each of several devices: which of them are well, and how far off each computes.

    device 0-8 fine (40 h), device 9 (db:00) fails in < 1 h

    gpu:0 matmul vs numpy max abs err 1.9e-06
    gpu:1 matmul vs numpy max abs err 2.1e-06
    gpu:2 matmul vs numpy max abs err 3.1e+02

A range is so many devices. Far off is a thousand times the usual. A line in which all are well, or all are not, is
skipped, and so are deviations of several works or of two devices alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from statistics import median

from ..evidence.job import Trial
from ..text import Text
from . import Parser
from ._trial_words import FEWEST_ROWS, outcome_of, short_lines, trial

# device 0-8 fine (40 h), device 9 (db:00) fails in < 1 h
CLAUSE = re.compile(
    r"\b(?P<part>gpu|device|card)s?[ :#]{0,2}(?P<first>\d{1,2})(?: ?(?:-|to) ?(?P<last>\d{1,2}))?"
    r"(?: \([^()]{1,30}\))?:? (?:always |is |are |all )?"
    r"(?P<outcome>ok(?:ay)?|fine|works?|pass(?:es)?|trains?|clean|fails?|crash(?:es)?|hangs?|aborts?|dies|errors?)\b",
    re.I,
)
MOST_DEVICES = 16
# gpu:1 matmul vs numpy max abs err 3.1e+02
DEVIATION = re.compile(
    r"^ {0,8}(?P<part>gpu|device|card|cuda)[ :]{0,2}(?P<number>\d{1,3})\b"
    r"(?P<work>[^\n]{1,100}?\b(?:err(?:or)?s?|diff(?:erence)?|deviation|mismatch(?:es)?))[ :=]{1,4}"
    r"(?P<value>\d{1,12}(?:\.\d{1,12})?(?:e[+-]?\d{1,3})?)\s*$",
    re.I,
)
DIGITS = re.compile(r"\d{1,20}")
FAR_OFF = 1000.0


def read(text: Text) -> Iterator[Trial]:
    yield from _clauses(text)
    yield from _deviations(text)


def _clauses(text: Text) -> Iterator[Trial]:
    for line in short_lines(text):
        found = list(CLAUSE.finditer(line.text))
        outcomes = [outcome_of(each["outcome"]) for each in found]
        for each, outcome in zip(found, outcomes, strict=True) if len(set(outcomes)) > 1 else ():
            first, last = int(each["first"]), int(each["last"] or each["first"])
            for number in range(first, min(last, first + MOST_DEVICES) + 1):
                yield trial(text, line, f"{each['part'].lower()} {number}", each[0][:120], outcome)


def _deviations(text: Text) -> Iterator[Trial]:
    rows = [(line, found) for line in short_lines(text) if (found := DEVIATION.match(line.text))]
    if len(rows) <= FEWEST_ROWS or len({DIGITS.sub("0", found["work"]) for _, found in rows}) > 1:
        return
    usual = median(float(found["value"]) for _, found in rows)
    for line, found in rows:
        outcome = "fail" if float(found["value"]) > max(FAR_OFF * usual, 1e-3) else "ok"
        yield trial(text, line, f"{found['part'].lower()} {found['number']}", found["work"].strip(), outcome)


PARSER = Parser(
    tool="devices compared",
    medium="trials",
    footprint=rf"(?i){CLAUSE.pattern}.{{1,120}}\b(?:gpu|device|card)|{DEVIATION.pattern}",
    read=read,
)
