"""Progress bars (tqdm and its like): how far the last one of each label came.

    Preparing test set...:  46%|████▋     | 31/67 [21:40<27:05, 45.16s/it]
    Validation: 0it [00:00, ?it/s]
    Generating train split: 2230000 examples [29:59, 1466.92 examples/s]
    Epoch 11/999 ━━━━━━━━━━━━━━━━━━ 64/64 0:00:21 • 0:00:00 3.02it/s v_num: 4.000
    Test:  [ 2090/10010]  eta: 1:53:32  acc1: 73.3203 (76.6279)  time: 0.8568  data: 0.0001
    Loading safetensors checkpoint shards:  12% Completed | 29/241 [03:58<1:21:40, 23.11s/it]

A bar rewrites its line with carriage returns: the last state of a label is the fact. Where the next state of a label is
behind the last one the bar was begun anew, or another rank draws one of its own: then both are told. What another
process prints into the same line follows the bar and is not looked at. A logger of metrics says the time of one step;
the bar's own is that times the steps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..evidence import Evidence
from ..evidence.training import ProgressBar
from ..text import Line, Text
from . import Parser
from ._job_lines import message

BAR = re.compile(
    r"^\s{0,8}(?:(.{0,120}?):? +)?\d{1,3}%(?:\|[^|]{0,200}| Completed )\| *([\d.]{1,15}[kMGTB]{0,2})/"
    r"([\d.]{1,15}[kMGTB]{0,2}) \[(?:(\d{1,4}(?::\d\d){1,2}))?"
)
COUNT = re.compile(
    r"^\s{0,8}(?:(.{0,120}?):? +)?(\d{1,12})(?:it| [a-z]{2,20}) \[(\d{1,4}(?::\d\d){1,2})"
    r"(?=, {1,4}(?:\?|\d[\d.]{0,12}) ?\w{1,20}/)"
)
# Epoch 11/999 ━━━━━━━━━━ 64/64 0:00:21 • 0:00:00 3.02it/s (rich)
RICH = re.compile(
    r"^\s{0,8}(\S.{0,119}?):? +(?=[━╸╺])[━╸╺ ]{5,200} +(?:\d{1,3}% )?(\d{1,9})/(\d{1,9}) +"
    r"(\d{1,4}(?::\d\d){1,2}) • [\d:-]{4,9} ?"
)
# Test:  [ 2090/10010]  eta: 1:53:32  acc1: 73.3203 (76.6279)  time: 0.8568  data: 0.0001
METRIC = re.compile(
    r"^\s{0,8}([A-Z][\w -]{1,40}):? {1,4}\[ {0,8}(\d{1,9})/(\d{1,9})\] {1,4}eta: \d[^\n]{0,400}?\btime: "
    r"(\d{1,6}(?:\.\d{1,6})?)\b"
)
# , 23.11s/it]     , 1.69it/s]
RATE = re.compile(r"[,<] {0,4}(\d{1,9}(?:\.\d{1,6})?) ?(s/\w{1,12}|\w{1,12}/s)\b")
LASTED_S = 60.0  # a bar that ended sooner tells nothing
ANEW = 20  # of bars that were begun anew, the last ones
SUFFIXES = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


class State(NamedTuple):
    """One state of a bar, and where it stands."""

    line: Line
    part: str
    done: int | None
    total: int | None
    elapsed_s: float | None


def read(text: Text) -> Iterator[Evidence]:
    last: dict[tuple[int | None, str], State] = {}
    left: list[tuple[tuple[int | None, str], State]] = []
    paces: dict[tuple[int | None, str], list[float]] = {}
    for line, part, said, rank in _drawn(text):
        if (found := BAR.match(said)) or (found := RICH.match(said)):
            state = State(line, part, _count(found[2]), _count(found[3]), _elapsed(found[4]))
        elif found := COUNT.match(said):
            state = State(line, part, _count(found[2]), None, _elapsed(found[3]))
        elif found := METRIC.match(said):
            done = _count(found[2])
            state = State(line, part, done, _count(found[3]), (done or 0) * float(found[4]))
        else:
            continue
        bar = rank, (found[1] or "").strip()
        if rate := RATE.search(said, found.end()):
            number = float(rate[1])
            pace = number if rate[2].startswith("s/") else 1 / number if number else None
            range_ = paces.setdefault(bar, [])
            range_[:] = [min([*range_, pace]), max([*range_, pace])] if pace else range_
        before = last.get(bar)
        if before and (before.done or 0) > (state.done or 0) and (before.elapsed_s or 0.0) >= LASTED_S:
            left.append((bar, before))
        last[bar] = state
    for bar, state in sorted([*left[-ANEW:], *last.items()], key=lambda each: each[1].line.number):
        fastest, slowest = paces.get(bar) or (None, None)
        yield ProgressBar(
            **message(state.line, state.part).facts(text),
            label=bar[1],
            done=state.done,
            total=state.total,
            elapsed_s=state.elapsed_s,
            fastest_s=fastest,
            slowest_s=slowest,
        )


def _drawn(text: Text) -> Iterator[tuple[Line, str, str, int | None]]:
    """What may be states of bars: the line, the part of it, what it says out of its wrapping, and the rank.

    A bar is drawn thousands of times behind the same words: they are taken out of their wrapping once.
    """
    wrapped: dict[str, tuple[int, int | None]] = {}  # by the words: how much of them is wrapping, and the rank
    for line in text.matching(INTERESTING):
        for part in line.text.split("\r"):
            words = part[: part.find("%|") + 1].rstrip("%0123456789") if part.endswith("]") else ""
            if words in wrapped:
                length, rank = wrapped[words]
                yield line, part, part[length:], rank
            elif INTERESTING.search(part):
                said = message(line, part)
                length = len(part) - len(said.text)
                if words and said.stamp is None and length <= len(words) and part.endswith(said.text):
                    wrapped[words] = length, said.rank
                yield line, part, said.text, said.rank


INTERESTING = re.compile(
    r"%(?:\|.{0,200}| Completed )\| *[\d.]|[━╸╺] +(?:\d{1,3}% )?\d+/\d+ +\d+:\d\d|\d(?:it| [a-z]{2,20}) \[\d"
    r"|\d\] {1,4}eta: \d"
)


def _count(text: str) -> int | None:
    if text.isdecimal():
        return int(text)
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
    footprint=r"\d{1,3}%(?:\|.{0,200}| Completed )\| *[\d.]+[kMGTB]*/|━ +(\d{1,3}% )?\d+/\d+ +\d+:\d\d"
    r"|\d(it| [a-z]{2,20}) \[\d{1,4}:\d\d, |^\s{0,8}[A-Z][\w -]{1,40}:? {1,4}\[ {0,8}\d+/\d+\] {1,4}eta: \d",
    read=read,
    every_state=True,
)
