"""`mpstat` and the processor part of `iostat` and `sar`: how the CPUs spend their time.

    09:05:01     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal   %idle
    09:05:11     all    3.12    0.00    1.04   71.60    0.00    0.11    0.20   23.93
    avg-cpu:  %user   %nice %system %iowait  %steal   %idle
               3.12    0.00    1.04   71.60    0.20   23.93

Rows of single CPUs are skipped; the last row of all of them is the fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.storage import IoStatistics
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser

NAMES = {
    "%usr": "user_percent",
    "%user": "user_percent",
    "%sys": "system_percent",
    "%system": "system_percent",
    "%iowait": "iowait_percent",
    "%steal": "stolen_percent",
    "%idle": "idle_percent",
}
HEADER = re.compile(r"^(?:(?:\S{1,20}(?: [AP]M)? {1,12})?CPU|avg-cpu:) {1,8}(%\w{2,8}(?: {1,8}%\w{2,8}){3,12})\s*$")
ALL = re.compile(r"^(?:\S{1,20}(?: [AP]M)? {1,12})?all {1,8}([\d., ]{10,200})$")
BARE = re.compile(r"^ {4,20}([\d.,]{1,8}(?: {1,10}[\d.,]{1,8}){3,12})\s*$")


def read(text: Text) -> Iterator[IoStatistics]:
    columns: list[str] = []
    last: tuple[Line, dict[str, float]] | None = None
    for line in text.lines():
        row = line.text[:300].rstrip()
        if found := HEADER.match(row):
            columns = found[1].split()
        elif columns and (found := ALL.match(row) or BARE.match(row)):
            cells = found[1].split()
            if len(cells) == len(columns):
                last = line, _named(columns, cells)
    if last:
        yield IoStatistics(source=Source(text.name, last[0].number, last[0].quote), values=last[1])


def _named(columns: list[str], cells: list[str]) -> dict[str, float]:
    pairs = zip(columns, cells, strict=True)
    return {
        NAMES[name]: float(cell.replace(",", "."))
        for name, cell in pairs
        if name in NAMES and re.fullmatch(r"\d{1,4}(?:[.,]\d{1,4})?", cell)
    }


PARSER = Parser(
    tool="mpstat",
    medium="pressure",
    footprint=footprint_of(HEADER),
    read=read,
)
