"""`free` in any unit (-b, -k, -m, -g, -h).

                   total        used        free      shared  buff/cache   available
    Mem:            22Gi        14Gi       1.2Gi        10Mi       6.8Gi       7.6Gi
    Swap:             0B          0B          0B

    $ free -g | grep Mem
    Mem:  125   18  101

Values are named as /proc/meminfo names them. Without suffixes the unit is not in the output; kibibytes are
assumed, unless the whole machine would then have less than 1 GiB (-m) or less than 1 MiB (-g).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.storage import MemoryInfo
from ..footprint import footprint_of
from ..sizes import size_bytes
from ..text import Line, Text, whole_number
from . import Parser
from ._snapshot import memory_info

HEADER = re.compile(r"^ +total +used +free +shared +buff(?:/cache|ers +cached?)(?: +available)?")
# $ free -g | grep Mem      while sleep 60; do free -m | awk '/Mem/'; done
FILTERED = re.compile(r"\bfree(?: -\w{1,4}){0,3} {0,2}\| {0,2}(?:grep|awk|sed)\b[^\n]{0,40}\bMem\b")
COLUMNS = "total used free shared buff/cache available".split()
ROW = re.compile(r"^(Mem|Swap): +(\S.*)$")
NAMES = {"total": "MemTotal", "free": "MemFree", "available": "MemAvailable", "shared": "Shmem", "used": "MemUsed"}


def read(text: Text) -> Iterator[MemoryInfo]:
    columns: list[str] = []
    head: Line | None = None
    values: dict[str, int] = {}
    unit = 1024
    for line in text.lines():
        row = line.text[:300]
        if FILTERED.search(row):
            if head:
                yield memory_info(text, head, values)
            columns, head, values = COLUMNS, None, {}
        elif HEADER.match(row):
            if head:
                yield memory_info(text, head, values)
            columns, head, values = row.split(), None, {}
        elif columns and (found := ROW.match(row)):
            cells = found[2].split()
            if found[1] == "Mem":
                if head:  # free -s prints its heading once, or each time
                    yield memory_info(text, head, values)
                    values = {}
                head, unit = line, unit_of(cells[0])
            for name, cell in zip(columns, cells, strict=False):
                key = NAMES.get(name) if found[1] == "Mem" else {"total": "SwapTotal", "free": "SwapFree"}.get(name)
                size = size_bytes(cell, unit)
                if key and size is not None:
                    values[key] = size // 1024
    if head:
        yield memory_info(text, head, values)


def unit_of(total: str) -> int:
    """The bytes that a number without a suffix counts, from how small the machine would be otherwise."""
    number = whole_number(total)
    if number is None or number >= 1 << 20:
        return 1024 if number is None or number < 1 << 33 else 1
    return 1 << 30 if number < 1 << 10 else 1 << 20


PARSER = Parser(tool="free", medium="memory", footprint=footprint_of(HEADER, FILTERED), read=read)
