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
from ._snapshot import source, stamp_before

# MemTotal:       24684084 kB
ROW = re.compile(r"^([A-Z][A-Za-z0-9_]*(?:\([a-z]+\))?): +(\d{1,18}) kB\s*$")


def read(text: Text) -> Iterator[MemoryInfo]:
    head: Line | None = None
    values: dict[str, int] = {}
    for line in text.lines():
        found = ROW.match(line.text) if len(line.text) < 100 else None
        if head and found and found[1] == "MemTotal":
            yield told(text, head, values)
            head, values = None, {}
        if found:
            if found[1] == "MemTotal":
                head = line
            values[found[1]] = int(found[2])
    if head:
        yield told(text, head, values)


def told(text: Text, head: Line, values: dict[str, int]) -> MemoryInfo:
    return MemoryInfo(source=source(text, head), stamp=stamp_before(text, head), values_kib=dict(values))


PARSER = Parser(tool="/proc/meminfo", medium="memory", footprint=r"^MemTotal: +\d+ kB", read=read)
