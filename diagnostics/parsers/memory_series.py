"""A table of memory over time, as monitoring scripts and people keep it.

    time      pid    rss_mb
    10:00     4242   2100
    host   phase        used
    node1  batch +0h30  5.2G

The header names a memory column (used, rss, memory, resident, heap; a unit may be part of the name). Columns are
separated by commas, tabs or two blanks. Rows without a size in that column are skipped, and so is a table of fewer than three
sizes. Of a range ("12-14G") the lower end counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..evidence import Source, Subject
from ..evidence.storage import MemoryInfo
from ..text import Line, Text
from . import Parser

# rss_mb     used     Memory (GiB)     VmRSS
COLUMN = re.compile(
    r"^(?:used|rss|vmrss|mem(?:ory)?|resident|heap|usage)(?:[ _]?(?:used|usage|rss|size))?[ _]?\(?(?P<unit>[kmgt]i?b)?\)?$",
    re.I,
)
# 5.2G     12-14G     2100     6.5 GiB
SIZE = re.compile(r"^(?P<number>\d{1,12}(?:\.\d{1,6})?)(?:-\d{1,12}(?:\.\d{1,6})?)? ?(?P<unit>[KMGT]i?B?)?\b", re.I)
OWNERS = ("host", "node", "pod", "hostname", "container")
KIB = {"k": 1, "m": 1 << 10, "g": 1 << 20, "t": 1 << 30}
FEWEST = 3


class Row(NamedTuple):
    """One measurement of the table."""

    line: Line
    kib: int
    owner: str | None
    pid: int | None


def read(text: Text) -> Iterator[MemoryInfo]:
    header: list[str] | None = None
    rows: list[Row] = []
    for line in text.lines():
        cells = split(line.text[:400])
        if len(cells) > 1 and any(COLUMN.match(cell) for cell in cells):
            yield from told(text, rows)
            header, rows = [cell.lower() for cell in cells], []
        elif header and (row := measured(header, cells, line)):
            rows.append(row)
    yield from told(text, rows)


def split(line: str) -> list[str]:
    """The cells of a row: by commas or tabs, else by two blanks, else (all single words) by blanks."""
    separator = "," if "," in line else "\t" if "\t" in line else "  "
    cells = [cell.strip() for cell in line.strip().split(separator) if cell.strip()]
    return cells if len(cells) > 1 else line.split()


def measured(header: list[str], cells: list[str], line: Line) -> Row | None:
    """The measurement of a row, or None when its memory column holds no size."""
    named = dict(zip(header, cells, strict=False))
    column = next((name for name in header if COLUMN.match(name)), "")
    found, default = SIZE.match(named.get(column, "")), COLUMN.match(column)
    unit = (found["unit"] if found else None) or (default["unit"] if default else None)
    if not found or not unit:
        return None
    owner = next((named[name] for name in OWNERS if name in named), None)
    pid = named.get("pid", "")
    return Row(line, round(float(found["number"]) * KIB[unit[0].lower()]), owner, int(pid) if pid.isdigit() else None)


def told(text: Text, rows: list[Row]) -> Iterator[MemoryInfo]:
    """The facts of one table."""
    if len(rows) < FEWEST:
        return
    for row in rows:
        yield MemoryInfo(
            source=Source(text.name, row.line.number, row.line.quote),
            subject=Subject(host=row.owner, pid=row.pid),
            values_kib={"MemUsed": row.kib},
        )


PARSER = Parser(
    tool="a table of memory over time",
    medium="memory",
    footprint=r"(?i)^[^\n]{0,200}(?:^|[\s,])(?:used|rss|vmrss|memory|mem|resident|heap)(?:[ _]?(?:used|usage|rss|size))?[ _]?\(?(?:[kmgt]i?b)?\)?\s*(?:,|\t|  |$)",
    read=read,
)
