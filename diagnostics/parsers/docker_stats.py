"""`docker stats --no-stream` and `podman stats`.

    CONTAINER ID   NAME      CPU %     MEM USAGE / LIMIT     MEM %     NET I/O   BLOCK I/O   PIDS
    8fb4f6c1a2d3   train     812.3%    62.9GiB / 64GiB       98.28%    1GB / 2GB 0B / 0B     412

Before 17.09 there is one column for both, with the id or the name. Who keeps a record of it puts the time first, and
may leave out columns:

    TIME      NAME    CPU %     MEM USAGE / LIMIT   MEM %
    09:46:40  train   803.9%    9.71GiB / 12GiB     80.92%

Only the memory is read: it is the container's control group.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.storage import CgroupMemory
from ..footprint import footprint_of
from ..sizes import size_bytes
from ..text import Text
from . import Parser
from ._snapshot import source, stamp_before, stamp_of

# CONTAINER ID   NAME   CPU %   MEM USAGE / LIMIT   MEM %     TIME   NAME   CPU %   MEM USAGE / LIMIT   MEM %
HEADING = re.compile(
    r"^(?:(?i:time|timestamp|date|at) +)?(?:(?:CONTAINER )?ID +NAME|CONTAINER|NAME)(?: +CPU ?%)? +MEM USAGE"
)
# 8fb4f6c1a2d3   train     812.3%    62.9GiB / 64GiB       98.28%     09:46:40  train   803.9%    9.71GiB / 12GiB
# 80.92%
ROW = re.compile(
    r"^(?:(?P<time>(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d(?::\d\d)?Z?) +)?(\S{1,100}) +(?:\S{1,100} +)?"
    r"(?:[\d.]{1,12}% +)?([\d.]{1,12}\s?[KMGT]?i?B) ?/ ?([\d.]{1,12}\s?[KMGT]?i?B) +(\d{1,4}(?:\.\d{1,4})?)%"
)


def read(text: Text) -> Iterator[CgroupMemory]:
    for line in text.lines():
        if found := ROW.match(line.text[:400]):
            time, identity, usage, limit, percent = found.groups()
            yield CgroupMemory(
                source=source(text, line),
                subject=Subject(cgroup=identity),
                stamp=stamp_of(line.text) if time else stamp_before(text, line, 1),
                severity=Severity.WARNING if float(percent) >= 95 else Severity.INFO,
                limit=size_bytes(limit),
                usage=size_bytes(usage),
            )


PARSER = Parser(
    tool="docker stats",
    medium="memory",
    footprint=footprint_of(HEADING),
    read=read,
)
