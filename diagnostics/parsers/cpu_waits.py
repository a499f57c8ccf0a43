"""The share of the CPUs' time that goes into waiting for disks, as people note it.

    epoch 0: GPU util 5-20 %, CPU iowait 60 %
    iowait: 72%

The tools' own tables are read by the parsers of those tools. Of a range the lower end counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.storage import IoStatistics
from ..footprint import footprint_of
from ..text import Text
from . import Parser

WAITS = re.compile(
    r"(?i)(?:\bi/?o[- _]?wait(?:ing)?|%wa|\bwa)\b(?: is| at| of| about| around| ~|[ :=~]){1,3}"
    r"(\d{1,3}(?:\.\d{1,3})?)(?: ?(?:-|to) ?\d{1,3})? ?%"
)


def read(text: Text) -> Iterator[IoStatistics]:
    for line in text.matching(PARSER.pattern):
        found = WAITS.search(line.text[:500])
        if found and float(found[1]) <= 100:
            yield IoStatistics(
                source=Source(text.name, line.number, line.quote), values={"iowait_percent": float(found[1])}
            )


PARSER = Parser(
    tool="a note of the CPUs' waiting",
    medium="pressure",
    footprint=footprint_of(WAITS),
    read=read,
)
