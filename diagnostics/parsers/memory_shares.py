"""How much of the host's memory is in use, in percent: lines of a job, and tables of a monitoring script.

    epoch 3 | RAM 55% | loss 2.0
    System memory usage: 74.9 %

    epoch,step,ram_percent
    1,500,74.9

    hours   mem_used_pct   (512G node)
    1       18

A row of fewer than three is a glance, and kept only where it says that the memory is used up. A GPU's memory is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.storage import MemoryInfo
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser

_WHOSE = r"(?:RAM|(?:CPU|host|system|virtual|sys)[ _]mem(?:ory)?|mem(?:ory)?[ _](?:usage|used|percent))"
# RAM 55%     CPU memory usage: 74.9 %     Memory used = 31%
LINE = re.compile(
    rf"(?<![\w-]){_WHOSE}(?:[ _](?:usage|used|util(?:ization)?|percent))?\s{{0,2}}[:=(]?\s{{0,3}}"
    rf"(?P<share>\d{{1,3}}(?:\.\d{{1,4}})?) ?%",
    re.I,
)
# epoch,step,ram_percent      time  mem_percent      timestamp,memory%
_NAME = r"(?:ram|mem(?:ory)?|(?:cpu|host|system|virtual)_mem(?:ory)?)(?:_used|_usage)?[_ ]?(?:percent|pct|%|\(%\))"
COLUMN = re.compile(rf"^{_NAME}$", re.I)
HEADING = re.compile(rf"(?:^|[,\s\"]){_NAME}(?:\"|,|\s|$)", re.I)
# epoch   mem_used_pct   (512G node, 8 ranks): what is said beside a heading is no column
BESIDE = re.compile(r"[ \t]{1,40}\([^()\n]{0,60}[A-Za-z0-9][^()\n]{0,60}\)\s*$")
OF_A_GPU = re.compile(r"gpu|cuda|vram|\bhbm\b|nvidia|device", re.I)
FEWEST, USED_UP = 3, 97.0


def read(text: Text) -> Iterator[MemoryInfo]:
    column, width = -1, 0
    table: list[tuple[Line, float]] = []
    said: list[tuple[Line, float]] = []
    for line in text.lines():
        row = line.text[:600]
        if (found := LINE.search(row)) and not OF_A_GPU.search(row[: found.end()]):
            said.append((line, float(found["share"])))
            continue
        cells, beside = split(BESIDE.sub("", row)), BESIDE.search(row)
        named = [at for at, cell in enumerate(cells) if COLUMN.match(cell)]
        if named and not (beside and OF_A_GPU.search(beside[0])):
            column, width = named[0], len(cells)
        elif column >= 0 and len(cells) == width and re.fullmatch(r"\d{1,3}(?:\.\d{1,6})?%?", cells[column]):
            table.append((line, float(cells[column].rstrip("%"))))
    for rows in (table, said):
        for line, share in rows:
            if share <= 100 and (len(rows) >= FEWEST or share >= USED_UP):
                yield MemoryInfo(source=Source(text.name, line.number, line.quote), values_kib={}, used_percent=share)


def split(row: str) -> list[str]:
    """The cells of a row: by commas, else by blanks."""
    return [cell.strip().strip('"') for cell in (row.split(",") if "," in row else row.split())]


PARSER = Parser(
    tool="shares of memory over time",
    medium="memory",
    footprint=footprint_of(LINE, HEADING),
    read=read,
)
