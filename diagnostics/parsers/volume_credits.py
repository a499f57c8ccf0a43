"""Burst credits and permitted rates of a cloud's volumes, as CloudWatch or the like list them.

    time   BurstCreditBalance   PermittedThroughput  TotalIOBytes/60s
    08:00  0                    1258291              7.5e+07
    BurstBalance  0 %
    BurstCreditBalance (GiB)      2011      1240      388       0
    "Label": "BurstBalance",
    "Average": 0.0,

A volume without credits is held to its baseline. The last row of a table, or the last number of a metric's row, is
the fact; a JSON answer tells of the metric
that its label names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Source
from ..evidence.storage import IoStatistics
from ..text import Line, Text
from . import Parser

NAMES = {
    "BurstCreditBalance": "burst_credits",
    "BurstBalance": "burst_credits",
    "EBSIOBalance%": "burst_credits",
    "EBSByteBalance%": "burst_credits",
    "FileServerDiskThroughputBalance": "burst_credits",
    "PermittedThroughput": "permitted_bytes_per_s",
    "PercentIOLimit": "io_limit_percent",
}
_METRIC = "|".join(re.escape(name) for name in NAMES)
HEADER = re.compile(rf"^.{{0,200}}(?:^|[\s,|])(?:{_METRIC})(?=[\s,|(]|$)")
LABEL = re.compile(rf'^\s*"(?:Label|MetricName)": "({_METRIC})"')
VALUE = re.compile(r'^\s*"(?:Average|Minimum|Maximum|Sum)": (\d{1,18}(?:\.\d{1,9})?(?:[eE][+-]?\d{1,2})?),?\s*$')
# BurstBalance  0 %
ALONE = re.compile(
    rf"^\s{{0,8}}({_METRIC})(?: \(.{{1,30}}\))?[\s:=,|]{{1,12}}"
    rf"(?:\d[\d.eE+-]{{0,24}} ?%?[\s,|]{{1,12}}){{0,60}}(\d{{1,18}}(?:\.\d{{1,9}})?(?:[eE][+-]?\d{{1,2}})?) ?%?\s*$"
)
# fs-1  mode bursting  BurstCreditBalance 0  PermittedThroughput 1.05 MiB/s
INLINE = re.compile(
    rf"\s({_METRIC})[ =:]{{1,3}}(\d{{1,18}}(?:\.\d{{1,9}})?(?:[eE][+-]?\d{{1,2}})?)%?(?=\s{{1,8}}[A-Za-z]|\s*$)"
)
NUMBER = re.compile(r"\d{1,18}(?:\.\d{1,9})?(?:[eE][+-]?\d{1,2})?%?")

WIDE = re.compile(r"\S {2,60}\S")  # cells may hold a blank: 1.1 MiB/s


def read(text: Text) -> Iterator[IoStatistics]:
    columns: list[str] = []
    last: tuple[Line, dict[str, float]] | None = None
    label, answers = "", []
    for line in text.lines():
        row = line.text[:600]
        if found := LABEL.match(row):
            label = NAMES[found[1]]
        elif found := VALUE.match(row):
            answers.append((line, float(found[1])))
        elif found := ALONE.match(row) or INLINE.search(row):
            answers.append((line, float(found[2])))
            label = NAMES[found[1]]
        elif HEADER.match(row):
            columns = _cells(row)
        elif columns and len(cells := _cells(row)) == len(columns):
            named = {
                NAMES[name]: float(cell.rstrip("%"))
                for name, cell in zip(columns, cells, strict=True)
                if name in NAMES and NUMBER.fullmatch(cell)
            }
            last = (line, named) if named else last
    if last:
        yield _fact(text, *last)
    if label and answers:
        line, value = answers[-1]
        yield _fact(text, line, {label: value})


def _cells(row: str) -> list[str]:
    apart = r"\s{0,40}[,|\t]\s{0,40}| {2,60}" if WIDE.search(row.strip()) else r"[\s,|]{1,40}"
    return re.split(apart, row.strip(" |\t"))


def _fact(text: Text, line: Line, values: dict[str, float]) -> IoStatistics:
    spent = values.get("burst_credits") == 0
    return IoStatistics(
        source=Source(text.name, line.number, line.quote),
        severity=Severity.WARNING if spent else Severity.INFO,
        values=values,
    )


PARSER = Parser(
    tool="a cloud's metrics of its volumes",
    medium="io-statistics",
    footprint=rf"(?:^|[\s,|\"])(?:{_METRIC})(?:[\s,|(\"]|$)",
    read=read,
)
