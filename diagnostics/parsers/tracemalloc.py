"""Two snapshots of Python's tracemalloc compared: what each line of the program holds, and how much more than before.

    /srv/x/collate.py:88: size=1210 MiB (+830 MiB), count=412009 (+290114), average=3079 B

Each line becomes two sizes of one place, before and after. A line without a difference is one snapshot and skipped, and
so is what became smaller.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.storage import SizeSeen
from ..footprint import footprint_of
from ..text import Text
from . import Parser

_SIZE = r"(\d{1,9}(?:\.\d{1,3})?) (B|KiB|MiB|GiB|TiB)"
# /srv/x/collate.py:88: size=1210 MiB (+830 MiB), count=412009 (+290114), average=3079 B
LINE = re.compile(rf"(?<!\S)([^\s:]{{1,300}}:\d{{1,7}}): size={_SIZE} \(\+{_SIZE}\), count=\d{{1,12}} \(")
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}


def read(text: Text) -> Iterator[SizeSeen]:
    for line in text.matching(LINE):
        found = LINE.search(line.text[:1000])
        if not found:
            continue
        size, more = float(found[2]) * UNITS[found[3]], float(found[4]) * UNITS[found[5]]
        for at, held in (("first snapshot", size - more), ("second snapshot", size)):
            yield SizeSeen(
                source=Source(text.name, line.number, line.quote), name=found[1], at=at, size=max(round(held), 0)
            )


PARSER = Parser(tool="tracemalloc", medium="memory", footprint=footprint_of(LINE), read=read)
