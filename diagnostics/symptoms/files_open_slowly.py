"""Opening files and looking them up takes a millisecond and more each, thousands of times, and half a minute in all.

By totals of system calls that name a file: where files lie on a local disk, or in a cache, such a call takes
microseconds. Calls that may wait for something else (read, poll, fsync) do not count. ABSENT where thousands of such
calls took a tenth of a millisecond at most.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.process import SystemCallTotal
from ..incident import Incident
from ._places import volume_beside
from ._symptom import Finding, Symptom

OF_NAMES = frozenset(
    "open openat openat2 stat lstat newfstatat fstatat64 stat64 lstat64 statx access faccessat faccessat2 readlink "
    "readlinkat getdents getdents64".split()
)
MANY = 1000  # calls
SLOW_S, FAST_S = 1e-3, 1e-4  # a call
LONG_S = 30.0


def rule(incident: Incident) -> Iterator[Finding]:
    """The calls of each table together."""
    tables: dict[str, list[SystemCallTotal]] = defaultdict(list)
    for total in incident.of(SystemCallTotal):
        if total.name in OF_NAMES:
            tables[total.source.file].append(total)
    for totals in tables.values():
        calls, seconds = sum(each.calls for each in totals), sum(each.seconds for each in totals)
        if calls < MANY:
            continue
        note = f"{calls} lookups took {seconds:.0f} s, {seconds / calls * 1000:.2f} ms each"
        if seconds >= LONG_S and seconds >= SLOW_S * calls:
            yield Finding(volume_beside(incident, totals[0]), tuple(totals), note)
        elif seconds <= FAST_S * calls:
            yield Finding(Subject(), tuple(totals), note, present=False)


SYMPTOM = Symptom(
    title="opening files takes milliseconds each",
    rule=rule,
    leak=0.0005,
    because="a lookup in a cache or on a local disk takes microseconds",
    tells_apart=("mount",),
    command="strace -f -c -w -e trace=%file python -c 'import torch'",
    cost_minutes=2,
)
