"""Sizes over time that somebody wrote down without saying of what: a name, a time, a size.

    server 2.3.5  +13h00    0.9G
    server 2.3.5  +13h20    6.4G
    worker   10:40:00   14.1 GiB  (ended)

A table of fewer than four such rows, or one that is the smaller part of its file, is none. Tables with a heading that
names memory are read by `memory_series`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.storage import SizeSeen
from ..text import Text
from . import Parser

ROW = re.compile(
    r"^[ \t]{0,8}(?P<name>[A-Za-z][\w.:@/ -]{0,40}?)?[ \t]{0,20}"
    r"(?<!\S)\+?(?P<time>\d{1,4} ?h ?(?:\d\d)?m?|\d{1,4}:\d\d(?::\d\d)?|\d{1,6} ?(?:s|min|hours?|days?))"
    r"[ \t]{2,40}(?P<number>\d{1,9}(?:\.\d{1,4})?) ?(?P<unit>[KMGT])(?:i?B)?(?:[ \t]{1,20}\([^)\n]{0,60}\))?[ \t]*$"
)
BYTES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
FEWEST = 4


def read(text: Text) -> Iterator[SizeSeen]:
    written = [line for line in text.lines() if line.text.strip()]
    rows = [(line, found) for line in written if len(line.text) < 200 and (found := ROW.match(line.text))]
    if len(rows) < FEWEST or 2 * len(rows) < len(written):
        return
    for line, found in rows:
        yield SizeSeen(
            source=Source(text.name, line.number, line.quote),
            name=(found["name"] or "").strip(),
            at=found["time"],
            size=round(float(found["number"]) * BYTES[found["unit"]]),
        )


PARSER = Parser(
    tool="sizes over time",
    medium="notes",
    footprint=r"(?<!\S)\+?\d{1,4}(?: ?h ?(?:\d\d)?m?|:\d\d(?::\d\d)?| ?(?:s|min|hours?|days?))[ \t]{2,40}\d{1,9}(?:\.\d{1,4})? ?[KMGT](?:i?B)?(?:[ \t]{1,20}\([^)\n]{0,60}\))?[ \t]*$",
    read=read,
)
