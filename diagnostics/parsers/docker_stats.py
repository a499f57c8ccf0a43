"""`docker stats --no-stream` and `podman stats`.

    CONTAINER ID   NAME      CPU %     MEM USAGE / LIMIT     MEM %     NET I/O   BLOCK I/O   PIDS
    8fb4f6c1a2d3   train     812.3%    62.9GiB / 64GiB       98.28%    1GB / 2GB 0B / 0B     412

Before 17.09 there is one column for both, with the id or the name.

Only the memory is read: it is the container's control group.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.storage import CgroupMemory
from ..text import Text
from . import Parser
from ._size import size_bytes
from ._snapshot import source, stamp_before

# 8fb4f6c1a2d3   train     812.3%    62.9GiB / 64GiB       98.28%
ROW = re.compile(
    r"^(\S{1,100}) +(?:\S{1,100} +)?[\d.]{1,12}% +([\d.]{1,12}\s?[KMGT]?i?B) ?/ ?([\d.]{1,12}\s?[KMGT]?i?B) +(\d{1,4}(?:\.\d{1,4})?)%"
)


def read(text: Text) -> Iterator[CgroupMemory]:
    for line in text.lines():
        if found := ROW.match(line.text[:400]):
            identity, usage, limit, percent = found.groups()
            yield CgroupMemory(
                source=source(text, line),
                subject=Subject(cgroup=identity),
                stamp=stamp_before(text, line, 1),
                severity=Severity.WARNING if float(percent) >= 95 else Severity.INFO,
                limit=size_bytes(limit),
                usage=size_bytes(usage),
            )


PARSER = Parser(
    tool="docker stats", medium="memory", footprint=r"^((CONTAINER )?ID +NAME|CONTAINER) +CPU %? +MEM USAGE", read=read
)
