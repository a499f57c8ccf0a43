"""Memory over time, as somebody noted it down: a table whose last column is a size.

    host       phase               used
    hostA 22G  batch +0h30         5.2G
    hostA 22G  batch +1h00         7.2G

    time      rss
    12:00:00  3.2G

The header's last word says what is measured (used, rss, resident, free, memory). Rows are kept in their order
with the time or phase that stands before the size; one without a size ends nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.storage import MemoryInfo
from ..text import Line, Text
from . import Parser
from ._size import size_bytes
from ._snapshot import source, stamp_of

# host       phase               used
HEADER = re.compile(
    r"^\s*(?:[a-z][a-z_ ]{0,20}?\s+)+(used|rss|resident|free|mem|memory|mem_used|available)\s*$", re.IGNORECASE
)
# 5.2G      12-14G resident per victim
SIZE = re.compile(r"^((?:\d{1,12}(?:\.\d{1,3})?-)?\d{1,12}(?:\.\d{1,3})?\s?[KMGT]i?B?)\b")
TOTAL = re.compile(r"^(\S{1,60}) (\d{1,6}(?:\.\d+)?[GT]i?B?)\b")
NAMES = {"free": "MemFree", "available": "MemAvailable"}


def read(text: Text) -> Iterator[MemoryInfo]:
    name: str | None = None
    by_host, column = False, 0
    for line in text.lines():
        row = line.text[:300]
        if len(row) < 120 and (found := HEADER.match(row)):
            name = NAMES.get(found[1].lower(), "MemUsed")
            column = len(row.rstrip()) - len(found[1])
            by_host = row.split()[0].lower() in ("host", "node")
        elif name and (found := SIZE.match(cell_at(row, column))):
            yield told(text, line, name, row[: row.rindex(found[1])].strip(), found[1], by_host)
        elif not row.strip():
            name = None


def cell_at(row: str, column: int) -> str:
    """The last column's cell: under its heading, else the last word."""
    if row[column - 1 : column].isspace() and row[column:].strip():
        return row[column:].strip()
    return row.split()[-1] if row.split() else ""


def told(text: Text, line: Line, name: str, label: str, size: str, by_host: bool) -> MemoryInfo:
    # of a range ("12-14G") the upper end
    kib = (size_bytes(size.rpartition("-")[2]) or 0) // 1024
    total = TOTAL.match(label)
    values = {name: kib} | ({"MemTotal": (size_bytes(total[2]) or 0) // 1024} if total else {})
    return MemoryInfo(
        source=source(text, line),
        subject=Subject(host=label.split()[0] if by_host else None),
        stamp=stamp_of(label),
        values_kib=values,
    )


PARSER = Parser(
    tool="memory over time",
    medium="memory",
    footprint=r"^[ \t]*[a-z][a-z_ ]{1,60}[ \t](?i:used|rss|resident|free|mem|memory|mem_used|available)[ \t]*$",
    read=read,
)
