r"""Rows of trials, as people write them down while they narrow a fault: a condition, and in plain words how it went.

    1 node  x 8 GPU : ok
    3+ nodes x 8 GPU: hang
    nodes=40 layers=40 100B   hang after iteration 1
    GPU 0 RTX 3090 under load      : host off at once

    metadata_nthreads=2     hangs
    metadata_nthreads=1     8 s

    one folder of builds              : 6 failures
    one folder of builds for each rank: 0 failures

Beside the one row that hangs, a row that says how long it took went well. None of a number of runs is well, too.
Rows whose outcome is none of the known words are skipped, and so is a file that has only one row: that is a sentence,
not a table. Where all is "finished" or "completed" it is a log of steps. One word before OK or FAILED is a file that
some checksum tool judged, and no condition. Tables with a heading are read by `trial_tables`, and
those of single devices by `devices_compared`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.people import Trial
from ..text import Line, Text
from . import Parser
from ._trial_words import OUTCOME, PAST, SAID, are_most_of, outcome_of, short_lines, trial
from .devices_compared import alone
from .trial_tables import read as tables

_CONDITION = r"(?P<condition>[^\s|](?:[^:|\n=]|=[^\s|]{0,60}){2,100}?)"
_APART = r"[ \t]{0,40}(?::[ \t]|[ \t]{2})[ \t]{0,40}"
# 2 nodes x 8 GPU : ok or very slow
ROW = re.compile(
    rf"^[ \t]{{0,8}}(?:\|[ \t]{{1,40}})?{_CONDITION}(?<=[^ \t])"
    rf"(?:[ \t]{{0,40}}:[ \t]|[ \t]{{2}}|[ \t]{{1,40}}\|[ \t])[ \t]{{0,40}}(?P<text>{SAID}[^\n]{{0,120}})$",
    re.I,
)
# timeout 600 s : one pause of 90 s in 5 h, training continues
GOES_ON = re.compile(
    rf"^[ \t]{{0,8}}{_CONDITION}{_APART}"
    r"(?P<text>\S[^:|\n]{0,120}[,;] (?:training|the run|the job|it) (?:continues|goes on|runs on))$",
    re.I,
)
ON = (" continues", " goes on", " runs on")
# metadata_nthreads=1     8 s        one at a time      38 s, no warning
WENT_ON = re.compile(
    rf"^[ \t]{{0,8}}{_CONDITION}{_APART}"
    r"(?P<text>~?\d{1,6}(?:\.\d{1,4})? ?(?:s|sec(?:onds?)?|min(?:utes?)?)(?:, no \w{1,12})?)$",
    re.I,
)
IS_PAST = re.compile(PAST, re.I)
JUDGED = re.compile(r"(?:OK|FAILED)\b")
COMPLAINT = re.compile(r"(?i)\b(?:error|warning|exception|fatal|kernel)$")  # CUDA error: out of memory
# |   0  GeForce GTX 1080 Ti  Off  | 00000000:02:00.0 Off |                  N/A |
OF_NVIDIA_SMI = re.compile(r"\| {0,8}[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d ")


def read(text: Text) -> Iterator[Trial]:
    lines = short_lines(text)
    rows = [(line, row) for line in lines if OUTCOME.search(line.text) and (row := ROW.match(line.text))]
    rows = [(line, row) for line, row in rows if _is_trial(line, row)]
    ended = [(line, line.text.rstrip()) for line in lines if rows]
    rows += [(line, row) for line, said in ended if said.endswith(ON) and (row := GOES_ON.match(said))]
    if len(rows) == 1 and outcome_of(rows[0][1]["text"]) == "hang":
        rows += [(line, row) for line in lines if (row := WENT_ON.match(line.text))]
    if all(IS_PAST.match(row["text"]) for _, row in rows) or not are_most_of(text, rows):
        return
    if next(tables(text), None) or next(alone(text), None):
        return
    for line, row in rows:
        outcome = outcome_of(row["text"]) if row.re is ROW else "ok"
        yield trial(text, line, row["condition"].strip(), row["text"].strip(" |"), outcome)


def _is_trial(line: Line, row: re.Match[str]) -> bool:
    """False for a program's complaint, a file and its checksum, and a row of nvidia-smi."""
    condition = row["condition"].strip()
    judged = " " not in condition and JUDGED.match(row["text"])
    return not (judged or COMPLAINT.search(condition) or OF_NVIDIA_SMI.search(line.text))


PARSER = Parser(tool="a table of trials", medium="trials", footprint=f"(?i){OUTCOME.pattern}", read=read)
