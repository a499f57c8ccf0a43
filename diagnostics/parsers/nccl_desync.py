"""The report of TORCH_NCCL_DESYNC_DEBUG, in the middle of a job's log.

     - [0] Timeout at collective: ALLREDUCE, #3
     - To our best knowledge, the lagging/dead/mismatched ranks that caused the desync are:
         [1] finished collective #2, but didn't join collective #3 (count from 1)
    Stack trace of the failed collective:
    #2 buggy from collective_mismatch.py:8

Each rank that times out prints its own report; every one is a fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Stamp, Subject
from ..evidence.collective import CollectiveStuck
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._job_lines import peel
from ._snapshot import source

#  - [0] Timeout at collective: ALLREDUCE, #3
TIMEOUT = re.compile(r"\[([\d, ]{1,2000})\] Timeout at collective: (\w{1,40}), #(\d{1,12})")
#  [1] finished collective #2, but didn't join collective #3 (count from 1)
MISSING = re.compile(r"\[([\d, ]{1,20000})\] finished collective #\d{1,12}, but didn't join collective #(\d{1,12})")
#  [3] joined but didn't finish collective #3 (count from 1)
UNFINISHED = re.compile(r"\[([\d, ]{1,20000})\] joined but didn't finish collective #(\d{1,12})")
# To our best knowledge, ranks [6] are the lagging ranks that caused this timeout. They never joined any collectives
NEVER = re.compile(r"\[([\d, ]{1,20000})\][^\[\]\n]{0,100}never joined any collectives")
# #2 buggy from collective_mismatch.py:8
FRAME = re.compile(r"^#\d{1,3} (\S.{0,200}) from (\S{1,1000}:\d{1,7})\s*$")
ANY = re.compile(rf"{MISSING.pattern}|{UNFINISHED.pattern}|{NEVER.pattern}")


def read(text: Text) -> Iterator[CollectiveStuck]:
    for line in text.matching(ANY):
        missing = MISSING.search(line.text) or NEVER.search(line.text)
        unfinished = UNFINISHED.search(line.text)
        found = missing or unfinished
        if found is None:
            continue
        ranks = tuple(int(number) for number in re.findall(r"\d{1,7}", found[1]))
        timeout = timeout_before(text, line)
        yield CollectiveStuck(
            source=source(text, line),
            subject=Subject(rank=ranks[0] if len(ranks) == 1 else None),
            stamp=peel(line.text[:4000]).stamp or stamp_above(text, line),
            severity=Severity.CRITICAL,
            operation=timeout[2] if timeout else None,
            sequence=int(found[2]) if found.re.groups > 1 else None,
            group=None,
            missing_ranks=ranks if missing else (),
            joined_ranks=joined(timeout, ranks, missing is not None),
            state="started" if unfinished else None,
            frames=frames_after(text, line),
        )


def joined(timeout: re.Match[str] | None, ranks: tuple[int, ...], missing: bool) -> tuple[int, ...]:
    """The ranks that wait: those that timed out, and those that joined without finishing."""
    waiting = {int(number) for number in re.findall(r"\d{1,7}", timeout[1])} if timeout else set()
    return tuple(sorted(waiting if missing else waiting | set(ranks)))


def timeout_before(text: Text, line: Line) -> re.Match[str] | None:
    """The report's first line, which names the collective."""
    if found := TIMEOUT.search(line.text):
        return found
    return next((found for each in text.before(line, 12) if (found := TIMEOUT.search(each.text))), None)


def stamp_above(text: Text, line: Line) -> Stamp | None:
    return next((stamp for each in text.before(line, 6) if (stamp := peel(each.text[:4000]).stamp)), None)


def frames_after(text: Text, line: Line) -> tuple[str, ...]:
    """The stack under the report."""
    frames: list[str] = []
    for each in text.after(line, 60):
        if found := FRAME.match(peel(each.text[:2000]).message):
            frames.append(f"{found[1]} ({found[2]})")
        elif frames or TIMEOUT.search(each.text):
            break
    return tuple(frames)


PARSER = Parser(
    tool="TORCH_NCCL_DESYNC_DEBUG",
    medium="job-log",
    footprint=footprint_of(ANY),
    read=read,
)
