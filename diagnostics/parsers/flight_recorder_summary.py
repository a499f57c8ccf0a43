"""A flight-recorder dump printed for people: one collective a line, its Python frames under it.

    completed nccl:all_reduce
        reduce_metrics trainer.py:6
    started nccl:all_reduce
        reduce_metrics trainer.py:8
        main trainer.py:15
    scheduled nccl:all_reduce_barrier

Two facts come of it: how far the rank came, and the collective that was started and is not complete. The
listing is one rank's: who did not join is not in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..evidence import Evidence, Severity, Subject
from ..evidence.collective import CollectiveProgress, CollectiveStuck
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source

# started nccl:all_reduce
RECORD = re.compile(
    r"^(?:\[?rank ?(\d{1,6})\]?:? )?(completed|started|scheduled) (?:\d{1,12} )?((?:nccl|gloo|xccl|mpi):\S{1,80})"
)
#     reduce_metrics trainer.py:8
FRAME = re.compile(r"^\s+(\S.{0,200}?) (\S{1,1000}):(\d{1,7})\s*$")


@dataclass
class Record:
    """One collective of the listing."""

    line: Line
    rank: int | None
    state: str
    operation: str
    frames: list[str] = field(default_factory=list)


def read(text: Text) -> Iterator[Evidence]:
    records: list[Record] = []
    for line in text.lines():
        row = line.text[:2000]
        if found := RECORD.match(row):
            records.append(Record(line, int(found[1]) if found[1] else None, found[2], found[3].partition(":")[2]))
        elif records and (found := FRAME.match(row)):
            records[-1].frames.append(f"{found[1]} ({found[2]}:{found[3]})")
    open_ = [record for record in records if record.state != "completed"]
    if not open_:
        return
    first = next((record for record in open_ if record.state == "started"), open_[0])
    done = records.index(first)
    yield CollectiveProgress(
        source=source(text, first.line),
        subject=Subject(rank=first.rank),
        severity=Severity.WARNING,
        group=None,
        enqueued=len(records),
        completed=done,
        operation=first.operation,
        state=first.state,
        calls={number: record.operation for number, record in enumerate(records[-64:], max(1, len(records) - 63))},
        frames=tuple(first.frames),
    )
    yield CollectiveStuck(
        source=source(text, first.line),
        subject=Subject(rank=first.rank),
        severity=Severity.CRITICAL,
        operation=first.operation,
        sequence=None,
        group=None,
        missing_ranks=(),
        joined_ranks=(first.rank,) if first.rank is not None else (),
        state=first.state,
        frames=tuple(first.frames),
    )


PARSER = Parser(
    tool="flight recorder summary",
    medium="collectives",
    footprint=footprint_of(RECORD),
    read=read,
)
