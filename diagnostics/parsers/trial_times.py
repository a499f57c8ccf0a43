"""Rows of trials with the time that the same work took in each.

    OMP_NUM_THREADS unset : first epoch 14 min 20 s
    OMP_NUM_THREADS=4     : first epoch    55 s

    --num-threads 1       41 s
    --num-threads 64     310 s

    workers=4   epoch 2h31m
    workers=16  epoch 2h29m
    workers=32  epoch 2h33m
    another machine  epoch 1h05m

    environment on /shared/envs    2 nodes    14 s
    environment on /shared/envs   96 nodes   820 s

Each row begins with a setting and tells the time of the same work. What takes more than twice as long as the best is
slow, the others are well; above them may stand a title, which tells no time, and of three rows or more one other may
tell a time without a setting. Rows that name different work are measurements, as `timings` reads them, and where a row
hangs the times stand beside it: `trials` reads those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..durations import seconds
from ..evidence.people import Trial
from ..footprint import footprint_of
from ..rates import speed
from ..text import Text
from . import Parser
from ._trial_words import FEWEST_ROWS, OUTCOME, pace, short_lines, trial
from .trial_tables import read as tables

_NUMBER = r"\d{1,6}(?:\.\d{1,4})?"
_SHORT = r"s|sec|seconds|min|minutes"
_SETTING = (
    r"(?:\b[A-Z][A-Z0-9]{1,20}_[A-Z0-9_]{2,40}\b|\w=|(?<![\w-])--?[a-z]"
    r"|\b\d{1,4} (?:threads|cores|cpus|workers|nodes?|hosts?)\b|\b(?:default|unset)\b"
    r"|\bthreads?[ _/-](?:per[ _-])?(?:rank|process|proc|worker|gpu|task)s?[ =]\d{1,4}\b)"
)
_TIME = (
    rf"~?(?:\d{{1,3}}h ?\d{{1,2}}m?|\d{{1,3}}m ?\d{{1,2}}s"
    rf"|{_NUMBER} ?(?:{_SHORT}|h|hours)(?: ?\d{{1,2}} ?(?:{_SHORT}))?)"
)
# TP=4, OMP_NUM_THREADS unset : weight load 19 min 02 s
ROW = re.compile(
    rf"^[ \t|]{{0,8}}(?P<condition>(?=[^:|\n]{{0,80}}?{_SETTING})[^\s:|][^:|\n]{{2,80}}?)"
    r"(?:[ \t]{0,40}:[ \t]|[ \t]{2}|[ \t]{1,40}\|[ \t]|[ \t]{1,4}->[ \t])[ \t]{0,40}"
    r"(?P<work>(?:[A-Za-z][\w-]{0,20} ){0,4}?)[ \t]{0,8}"
    rf"(?P<took>{_TIME})[ \t|]{{0,8}}$"
)
# TP=4, 12 cores, weight load
TITLE = re.compile(rf"^(?!.*(?:\b{_TIME}(?!\w)|[:>|]))[^\s#$].{{2,80}}$")
ANOTHER = re.compile(rf"^.{{3,100}}[ \t<>]{_TIME}[ \t|]{{0,8}}$")


def read(text: Text) -> Iterator[Trial]:
    lines = short_lines(text)
    rows = [(line, row) for line in lines if (row := ROW.match(line.text.rstrip())) and not OUTCOME.search(line.text)]
    told = [seconds(row["took"].lstrip("~")) for _, row in rows]
    times = [took for took in told if took]
    same = len({row["work"].strip().lower() for _, row in rows}) == 1 and len(times) == len(rows) >= FEWEST_ROWS
    read_lines = {line.number for line, _ in rows}
    others = [line for line in lines if line.text.strip() and line.number not in read_lines]
    if others and rows and others[0].number < rows[0][0].number and TITLE.match(others[0].text.rstrip()):
        others = others[1:]
    if others and (len(rows) <= FEWEST_ROWS or len(others) > 1 or not ANOTHER.match(others[0].text.rstrip())):
        return
    if not same or next(tables(text), None):
        return
    for (line, row), took in zip(rows, times, strict=True):
        reached = pace(speed(took, "s"), speed(min(times), "s"))
        yield trial(text, line, row["condition"].strip(" \t|,"), f"{row['work']}{row['took']}".strip(), reached)


PARSER = Parser(tool="times of trials", medium="trials", footprint=footprint_of(ROW), read=read)
