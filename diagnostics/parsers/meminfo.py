"""/proc/meminfo.

    MemTotal:       24684084 kB
    MemAvailable:   22135888 kB

Several snapshots in one file are several facts; counters without a unit (HugePages_Total) are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.storage import MemoryInfo
from ..text import Line, Text
from . import Parser
from ._snapshot import memory_info

# MemTotal:       24684084 kB
ROW = re.compile(r"^([A-Z][A-Za-z0-9_]*(?:\([a-z]+\))?): +(\d{1,18}) kB\s*$")


def read(text: Text) -> Iterator[MemoryInfo]:
    head: Line | None = None
    values: dict[str, int] = {}
    for line in text.lines():
        found = ROW.match(line.text) if len(line.text) < 100 else None
        if head and found and found[1] == "MemTotal":
            yield memory_info(text, head, values)
            head, values = None, {}
        if found:
            if found[1] == "MemTotal":
                head = line
            values[found[1]] = int(found[2])
    if head:
        yield memory_info(text, head, values)


PARSER = Parser(tool="/proc/meminfo", medium="memory", footprint=r"^MemTotal: +\d+ kB", read=read)
