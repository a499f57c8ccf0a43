"""Tables of the sizes that files should have beside those that they have.

    file                     expected      actual
    shard_0002.tar           1073741824    1073741824
    shard_0003.tar           1073741824    411041792

The header names both; rows whose cells are no sizes are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.storage import SizeCompared
from ..footprint import footprint_of
from ..sizes import size_bytes
from ..text import Text
from . import Parser
from ._snapshot import source

SHOULD = r"(?:expected|should be|manifest|source|original|remote|index|want|written|saved)(?:[ _](?:size|bytes))?"
IS = r"(?:actual|actually|got|found|local|copy|on disk|have|target|destination|now)(?:[ _](?:size|bytes))?"
HEADER = re.compile(
    rf"(?i)^\s{{0,8}}(?:file|name|path|shard|object)\w{{0,6}}(?:[ \t]{{2,60}}|\t|,|\s?\|\s?)({SHOULD})"
    rf"(?:[ \t]{{2,60}}|\t|,|\s?\|\s?)({IS})\s*$"
)
SPLIT = re.compile(r"[ \t]{2,60}|\t|,|\s?\|\s?")


def read(text: Text) -> Iterator[SizeCompared]:
    below = False
    for line in text.lines():
        row = line.text[:1000].strip().strip("|").strip()
        if HEADER.match(row):
            below = True
            continue
        cells = SPLIT.split(row)
        sizes = [size_bytes(cell) for cell in cells[1:3]]
        if below and len(cells) == 3 and sizes[0] is not None and sizes[1] is not None:
            short = sizes[1] < sizes[0]
            yield SizeCompared(
                source=source(text, line),
                subject=Subject(path=cells[0]),
                severity=Severity.WARNING if short else Severity.INFO,
                expected=sizes[0],
                actual=sizes[1],
            )
        elif row:
            below = False


PARSER = Parser(
    tool="a table of sizes",
    medium="listing",
    footprint=footprint_of(HEADER),
    read=read,
)
