"""Which CPUs a process may run on: `taskset -cp PID`, `/proc/PID/status`, `numactl --show`, Python, Slurm's variables.

    pid 4242's current affinity list: 3
    pid 4242's current affinity mask: ff
    Cpus_allowed_list:	0-47
    physcpubind: 0 1 2 3
    len(os.sched_getaffinity(0)) : 1
    SLURM_CPUS_ON_NODE=1

What Slurm granted is what its cgroups allow. The value is the number of CPUs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source, Subject
from ..evidence.job import SettingSeen
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser

LIST = re.compile(
    r"^(?:pid (\d{1,9})'s (?:current|new) affinity list: |Cpus_allowed_list:\s{1,4}|physcpubind: )([\d, -]{1,2000}?)\s*$"
)
MASK = re.compile(r"^pid (\d{1,9})'s (?:current|new) affinity mask: ([0-9a-f]{1,400})\s*$")
COUNT = re.compile(
    r"^\s{0,8}(?:len\(os\.sched_getaffinity\((?:0|os\.getpid\(\))?\)\)|\$?SLURM_(?:CPUS_ON_NODE|JOB_CPUS_PER_NODE))"
    r" {0,40}(?:[:=]|->) {0,4}(\d{1,5})\s*$"
)
PART = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")


def read(text: Text) -> Iterator[SettingSeen]:
    for line in text.lines():
        if found := LIST.match(line.text[:2100]):
            parts = PART.findall(found[2])
            count = sum(int(last or first) - int(first) + 1 for first, last in parts)
            yield told(text, line, found[1], count)
        elif found := COUNT.match(line.text[:200]):
            yield told(text, line, None, int(found[1]))
        elif found := MASK.match(line.text[:500]):
            yield told(text, line, found[1], int(found[2], 16).bit_count())


def told(text: Text, line: Line, pid: str | None, count: int) -> SettingSeen:
    return SettingSeen(
        source=Source(text.name, line.number, line.quote),
        subject=Subject(pid=int(pid)) if pid else Subject(),
        name="cpus allowed",
        value=str(count),
    )


PARSER = Parser(
    tool="taskset",
    medium="cpu-count",
    footprint=footprint_of(LIST, MASK, COUNT),
    read=read,
)
