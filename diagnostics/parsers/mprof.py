"""`mprof run` (memory_profiler): the resident size of a program over time, in MiB with the second since 1970.

CMDLINE python train.py
MEM 306.121094 1695731203.1234
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Clock, Source, Stamp
from ..evidence.storage import MemoryInfo
from ..footprint import footprint_of
from ..text import Text
from . import Parser

ROW = re.compile(r"^MEM (\d{1,9}\.\d{1,9}) (\d{9,11}\.\d{1,6})\s*$")


def read(text: Text) -> Iterator[MemoryInfo]:
    for line in text.lines():
        if found := ROW.match(line.text[:200]):
            yield MemoryInfo(
                source=Source(text.name, line.number, line.quote),
                stamp=Stamp(Clock.UTC, float(found[2])),
                values_kib={"MemUsed": round(float(found[1]) * 1024)},
            )


PARSER = Parser(tool="mprof", medium="memory", footprint=footprint_of(ROW), read=read)
