"""`juicefs stats`: a second in each row, groups of columns between bars.

    ---------usage--------- ----------fuse--------- ---------------------object--------------------
     cpu   mem   buf  cache| ops   lat   read write| get  get_c  lat   put  put_c  lat  del_c  lat
    35.5%  271M   36M    0 |1142  2.63   141M    0 | 144M   36   158     0     0     0     0     0

Latencies are in milliseconds. One fact a table with the mean over its rows: "fuse_ms", "meta_ms", "object_get_ms",
"object_put_ms".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from statistics import mean

from ..evidence.storage import IoStatistics
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source

# ---------usage--------- ----------fuse--------- -blockcache
GROUPS = re.compile(r"^-{2,40}usage-{2,40} ")
GROUP = re.compile(r"-{1,60}([a-z]{3,12})-{0,60}")
NUMBER = re.compile(r"^(\d{1,12}(?:\.\d{1,6})?)$")
NAMES = {("fuse", 0): "fuse_ms", ("meta", 0): "meta_ms", ("object", 0): "object_get_ms", ("object", 1): "object_put_ms"}


def read(text: Text) -> Iterator[IoStatistics]:
    head: Line | None = None
    groups: list[str] = []
    columns: list[list[str]] = []
    rows: dict[str, list[float]] = {}
    for line in text.lines():
        row = line.text[:600]
        if GROUPS.match(row):
            head, groups, columns = line, GROUP.findall(row), []
        elif head and "lat" in row and "|" in row:
            columns = [part.split() for part in row.split("|")]
        elif head and columns and row.count("|") == len(columns) - 1:
            for name, value in _latencies(groups, columns, [part.split() for part in row.split("|")]):
                rows.setdefault(name, []).append(value)
    if head and rows:
        yield IoStatistics(source=source(text, head), values={name: mean(values) for name, values in rows.items()})


def _latencies(groups: list[str], columns: list[list[str]], cells: list[list[str]]) -> Iterator[tuple[str, float]]:
    for group, names, values in zip(groups, columns, cells, strict=False):
        places = [place for place, name in enumerate(names) if name == "lat"]
        for order, place in enumerate(places):
            known = NAMES.get((group, order))
            found = NUMBER.match(values[place]) if place < len(values) else None
            if known and found and float(found[1]) > 0:
                yield known, float(found[1])


PARSER = Parser(tool="juicefs stats", medium="io-statistics", footprint=footprint_of(GROUPS), read=read)
