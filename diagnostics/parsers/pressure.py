"""/proc/pressure/{cpu,io,memory,irq} and a cgroup's io.pressure (PSI).

    io some avg10=98.42 avg60=50.94 avg300=25.24 total=1147317693

The numbers are percent of time in which some (or all) tasks waited. The resource stands before the line, in
a path (`/proc/pressure/io:some ...`) or on a heading. A load average beside them is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Stamp, Subject
from ..evidence.storage import Pressure
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._snapshot import source, stamp_before

# io some avg10=5.58 avg60=42.88 avg300=27.83 total=1102539691
ROW = re.compile(
    r"\b(some|full) avg10=(\d{1,3}(?:\.\d+)?) avg60=(\d{1,3}(?:\.\d+)?) avg300=(\d{1,3}(?:\.\d+)?)(?: total=\d+)?"
)
# /proc/pressure/io      /sys/fs/cgroup/pod7/io.pressure      io:
RESOURCE = re.compile(r"(?:/proc/pressure/|\b)(cpu|io|memory|irq)(?:\.pressure)?\b")
CGROUP = re.compile(r"/sys/fs/cgroup(/\S+?)/(?:cpu|io|memory|irq)\.pressure")


def read(text: Text) -> Iterator[Pressure]:
    resource, cgroup = "unknown", None
    stamp: Stamp | None = None
    for line in text.lines():
        row = line.text[:1000]
        found = ROW.search(row)
        if named := RESOURCE.search(row[: found.start()] if found else row):
            resource = named[1]
            within = CGROUP.search(row)
            cgroup = within[1] if within else None
        if not found:
            continue
        stamp = stamp_before(text, line, 1) or stamp
        avg10, avg60, avg300 = (float(found[number]) for number in (2, 3, 4))
        yield Pressure(
            source=source(text, line),
            subject=Subject(cgroup=cgroup),
            stamp=stamp,
            severity=Severity.WARNING if avg10 >= 50 and resource in ("io", "memory") else Severity.INFO,
            resource=resource,
            scope=found[1],
            avg10=avg10,
            avg60=avg60,
            avg300=avg300,
        )


PARSER = Parser(tool="/proc/pressure", medium="pressure", footprint=footprint_of(ROW), read=read)
