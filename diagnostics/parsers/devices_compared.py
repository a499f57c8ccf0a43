"""One work on each of several devices: which of them are well, and how far off each computes.

    device 0-8 fine (40 h), device 9 (db:00) fails in < 1 h

    gpu:0 matmul vs numpy max abs err 1.9e-06
    gpu:1 matmul vs numpy max abs err 2.1e-06
    gpu:2 matmul vs numpy max abs err 3.1e+02

    for each i: CUDA_VISIBLE_DEVICES=$i python train.py --steps 200
    i=0 (17:00.0)  ok
    i=1 (2a:00.0)  illegal memory access at step 31
    i=2 (3d:00.0)  ok

    cuda:0 ok
    cuda:1 nan from the first step
    cuda:2 ok

A range is so many devices. Far off is a thousand times the usual. A line in which all are well, or all are not, is
skipped, and so are deviations of several works and rows of two devices alone. A letter is a device only below a line
that makes it one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from statistics import median

from ..evidence.people import Trial
from ..text import Text
from . import Parser
from ._trial_words import FEWEST_ROWS, SAID, outcome_of, short_lines, trial

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
# cuda:1 nan from the first step      i=1 (2a:00.0)  illegal memory access at step 31
ALONE = re.compile(
    r"^[ \t]{0,8}(?:(?:cuda|hip|xpu|npu|gpu|device):|(?P<letter>[A-Za-z]\w{0,11}) ?= ?)(?P<number>\d{1,2})\b"
    rf"(?P<known> ?\([^()]{{1,40}}\))?[ \t]{{0,20}}(?::|->|=>|\|)?[ \t]{{1,20}}(?P<text>{SAID}[^\n]{{0,120}})$",
    re.I,
)
# CUDA_VISIBLE_DEVICES=$i python train.py
DEVICE_IS = re.compile(
    r"\b(?:CUDA|HIP|ROCR|ASCEND\w{0,9})_VISIBLE_DEVICES ?= ?[\"'$<{]{0,3}(?P<letter>[A-Za-z]\w{0,11})\b"
)
DIGITS = re.compile(r"\d{1,20}")
FAR_OFF = 1000.0


def read(text: Text) -> Iterator[Trial]:
    yield from _clauses(text)
    yield from _deviations(text)
    yield from alone(text)


def _clauses(text: Text) -> Iterator[Trial]:
    for line in short_lines(text):
        found = list(CLAUSE.finditer(line.text))
        outcomes = [outcome_of(each["outcome"]) for each in found]
        for each, outcome in zip(found, outcomes, strict=True) if len(set(outcomes)) > 1 else ():
            first, last = int(each["first"]), int(each["last"] or each["first"])
            for number in range(first, min(last, first + MOST_DEVICES) + 1):
                yield trial(text, line, f"{each['part'].lower()} {number}", each[0][:120], outcome)


def alone(text: Text) -> Iterator[Trial]:
    """The rows of one device each."""
    lines, letters, rows = short_lines(text), {""}, list[Trial]()
    for line in lines:
        if heading := DEVICE_IS.search(line.text):
            letters.add(heading["letter"])
        elif (found := ALONE.match(line.text)) and (found["letter"] or "") in letters:
            condition = f"GPU {found['number']}{found['known'] or ''}"
            rows.append(trial(text, line, condition, found["text"], outcome_of(found["text"])))
    if len(rows) > FEWEST_ROWS and len({row.outcome for row in rows}) > 1:
        yield from rows


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
    footprint=rf"(?i){CLAUSE.pattern}.{{1,120}}\b(?:gpu|device|card)|{DEVIATION.pattern}"
    rf"|^[ \t]{{0,8}}(?:cuda|hip|xpu|npu|gpu|device):\d{{1,2}}\b[^\n]{{1,60}}{SAID}|{DEVICE_IS.pattern}",
    read=read,
)
