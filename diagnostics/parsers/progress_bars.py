"""Progress bars (tqdm and its like): how far the last one of each label came.

    Preparing test set...:  46%|████▋     | 31/67 [21:40<27:05, 45.16s/it]
    Validation: 0it [00:00, ?it/s]

A bar rewrites its line with carriage returns: the last state of a label is the fact, and one before it when the line
was printed anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.job import ProgressBar
from ..text import Text
from . import Parser
from ._job_lines import Message, messages

BAR = re.compile(
    r"^\s{0,8}(?:(.{0,120}?):? +)?\d{1,3}%\|[^|]{0,200}\| *([\d.]{1,15}[kMGTB]{0,2})/([\d.]{1,15}[kMGTB]{0,2}) \[(?:(\d{1,4}(?::\d\d){1,2}))?"
)
COUNT = re.compile(r"^\s{0,8}(?:(.{0,120}?):? +)?(\d{1,12})it \[(\d{1,4}(?::\d\d){1,2})")
SUFFIXES = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def read(text: Text) -> Iterator[Evidence]:
    last: dict[tuple[int | None, str], tuple[Message, int | None, int | None, float | None]] = {}
    for message in messages(text, INTERESTING):
        if found := BAR.match(message.text):
            state = (message, _count(found[2]), _count(found[3]), _elapsed(found[4]))
        elif found := COUNT.match(message.text):
            state = (message, _count(found[2]), None, _elapsed(found[3]))
        else:
            continue
        last[message.rank, (found[1] or "").strip()] = state
    for (_, label), (message, done, total, elapsed) in sorted(last.items(), key=lambda item: item[1][0].line.number):
        yield ProgressBar(**message.facts(text), label=label, done=done, total=total, elapsed_s=elapsed)


INTERESTING = re.compile(r"%\|.{0,200}\| *[\d.]|\dit \[")


def _count(text: str) -> int | None:
    text = text.rstrip("B")
    try:
        return int(float(text.rstrip("kMGT")) * SUFFIXES.get(text[-1:], 1))
    except ValueError:
        return None


def _elapsed(text: str | None) -> float | None:
    total = 0
    for part in (text or "").split(":"):
        total = total * 60 + int(part or 0)
    return float(total) if text else None


PARSER = Parser(
    tool="tqdm",
    medium="job-log",
    footprint=r"\d{1,3}%\|.{0,200}\| *[\d.]+[kMGTB]*/|\d{1,12}it \[\d{1,4}:\d\d",
    read=read,
)
