"""Sizes of the host's memory below a title that says so, as people write them down.

    worker rss (GB) after each epoch
    epoch 1: 4.1
    epoch 2: 8.3
    epoch 3: 12.4

    host memory in use
    start      20 GB
    +1h        41 GB
    +2h        63 GB

The title is the first line; every other line is a row with a label and a size, and there are three at least. A title
that speaks of a GPU, of a disk or of what is free is none, and so is a column's heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.storage import MemoryInfo
from ..sizes import size_kib
from ..text import Line, Text
from . import Parser

TITLE = re.compile(
    r"\b(?:rss|resident|(?:host|cpu|system|process|worker|trainer|node|pod) mem(?:ory)?"
    r"|mem(?:ory)? (?:in use|used|usage)|RAM)\b",
    re.I,
)
OTHER = re.compile(r"gpu|cuda|vram|device|disk|\bfree\b|available|limit", re.I)
UNIT = re.compile(r"[(, ](?P<unit>[KMGT]i?B)\b")
ROW = re.compile(
    r"^\s{0,8}(?P<label>\S.{0,60}?)(?:\s?[:=]\s{0,20}|\t|\s{2,40}|\s)~?(?P<number>\d{1,9}(?:\.\d{1,4})?) ?"
    r"(?P<unit>[KMGT]i?B?)?\s*$"
)
COLUMNS = re.compile(r"\S(?: {2}|\t|,\S)")
FEWEST, LONGEST = 3, 200


def read(text: Text) -> Iterator[MemoryInfo]:
    lines = [line for _, line in zip(range(LONGEST), text.lines(), strict=False) if line.text.strip()]
    title = lines[0].text[:200] if lines else ""
    rows = [ROW.match(line.text[:200]) for line in lines[1:]]
    if len(rows) < FEWEST or len(lines) == LONGEST or not _is_title(title) or any(map(_says_of_what, lines[1:])):
        return
    stated = UNIT.search(title)
    units = [row and (row["unit"] or (stated and stated["unit"])) for row in rows]
    if not all(units):
        return
    for line, row, unit in zip(lines[1:], rows, units, strict=True):
        if row and unit:
            used = size_kib(row["number"], unit)
            yield MemoryInfo(source=Source(text.name, line.number, line.quote), values_kib={"MemUsed": used})


def _is_title(line: str) -> bool:
    of_columns = COLUMNS.search(line.strip())
    return bool(TITLE.search(line) and not (of_columns or OTHER.search(line) or ROW.match(line)))


def _says_of_what(line: Line) -> bool:
    """True for a line that names memory itself: those are read by `memory_series`."""
    return TITLE.search(line.text[:200]) is not None or "used" in line.text[:200]


PARSER = Parser(
    tool="sizes of memory below a title",
    medium="memory",
    footprint=rf"(?i){TITLE.pattern}[^\n]{{0,120}}$",
    read=read,
)
