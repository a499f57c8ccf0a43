"""Which CPUs a process may run on: `taskset -cp PID`, `/proc/PID/status`, `numactl --show`.

    pid 4242's current affinity list: 3
    Cpus_allowed_list:	0-47
    physcpubind: 0 1 2 3

The value is the number of CPUs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source, Subject
from ..evidence.job import SettingSeen
from ..text import Text
from . import Parser

LIST = re.compile(
    r"^(?:pid (\d{1,9})'s (?:current|new) affinity list: |Cpus_allowed_list:\s{1,4}|physcpubind: )([\d, -]{1,2000}?)\s*$"
)
PART = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")


def read(text: Text) -> Iterator[SettingSeen]:
    for line in text.lines():
        if found := LIST.match(line.text[:2100]):
            parts = PART.findall(found[2])
            count = sum(int(last or first) - int(first) + 1 for first, last in parts)
            yield SettingSeen(
                source=Source(text.name, line.number, line.quote),
                subject=Subject(pid=int(found[1])) if found[1] else Subject(),
                name="cpus allowed",
                value=str(count),
            )


PARSER = Parser(
    tool="taskset",
    medium="cpu-count",
    footprint=r"^pid \d{1,9}'s (current|new) affinity list: \d|^Cpus_allowed_list:\s|^physcpubind: \d",
    read=read,
)
