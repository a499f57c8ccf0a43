"""How long each epoch took, in the words of the job or of a person.

    epoch 0: 27 min
    Epoch 3 finished in 114.2 s
    Epoch: [399] Total time: 0:02:51 (0.5510 s / it)
    Time for epoch 1 is 32.7 sec
    epoch 112 time 131.20 s

    2025-03-02 12:38:51.204470: Epoch 91
    2025-03-02 12:40:02.772306: Epoch time: 71.57 s

A line with a step or a loss of its own is a step's, and is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..durations import seconds
from ..evidence import Evidence
from ..evidence.training import EpochTime
from ..text import Text
from . import Parser
from ._job_lines import messages

_TIME = (
    r"(\d{1,4}(?::\d\d){1,2}(?:\.\d{1,6})?|\d{1,9}(?:\.\d{1,9})? ?"
    r"(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\b"
    r"(?:,? ?\d{1,2}(?:\.\d{1,3})? ?(?:s|secs?|seconds?|m|mins?|minutes?)\b)?)"
)
_END = r" ?\.?(?: \(.{1,60}\))?\s*$"
_EPOCH = r"\b(?i:epoch)[ :_#]{0,3}\[?(\d{1,5})(?:/\d{1,5})?\]?"
ROWS = (
    re.compile(rf"^{_EPOCH}(?::| -| \||,)? {{1,8}}{_TIME}{_END}"),
    re.compile(
        rf"{_EPOCH}[^\d]{{1,40}}?\b(?i:time|took|in|elapsed|duration|cost|runtime)\b[^\d\n]{{0,20}}?{_TIME}{_END}"
    ),
    re.compile(rf"\b(?i:time|duration|elapsed)(?: taken)? (?:for|of) {_EPOCH}[^\d\n]{{1,20}}{_TIME}{_END}"),
)
# Epoch 91     (alone: its time stands below, when it is over)
BEGUN = re.compile(r"^(?i:epoch)[ :_#]{0,3}\[?(\d{1,5})(?:/\d{1,5})?\]?[: .]{0,3}$")
# Epoch time: 71.57 s
OVER = re.compile(rf"^(?i:epoch) (?i:time|duration|took)(?: taken)?[ :=]{{1,4}}{_TIME}{_END}")
INTERESTING = re.compile(r"(?i)\bepoch[ :_#]{0,3}\[?\d|\bepoch (?:time|duration|took)\b")


def read(text: Text) -> Iterator[Evidence]:
    begun: dict[int | None, int] = {}
    for message in messages(text, INTERESTING):
        said = message.text[:300].strip()
        if alone := BEGUN.match(said):
            begun[message.rank] = int(alone[1])
            continue
        epoch: int | None = None
        if over := OVER.match(said):
            epoch, lasted = begun.pop(message.rank, None), seconds(over[1].replace(",", ""))
        elif found := next((found for row in ROWS if (found := row.search(said))), None):
            epoch, lasted = int(found[1]), seconds(found[2].replace(",", ""))
        if epoch is not None and lasted is not None:
            yield EpochTime(**message.facts(text), epoch=epoch, seconds=lasted)


PARSER = Parser(
    tool="a job's epoch times",
    medium="job-log",
    footprint=r"(?i)\bepoch (time|duration|took)( taken)?[ :=]{1,4}\d"
    r"|\bepoch[ :_#]{0,3}\[?\d{1,5}(/\d{1,5})?\]?.{0,80}\d ?"
    r"(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|:\d\d)\b",
    read=read,
)
