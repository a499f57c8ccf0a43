"""`iostat -x`, old and new columns, with or without dates.

    Device            r/s     rkB/s   r_await     w/s     wkB/s   w_await  aqu-sz  %util
    nvme0n1          0.02      1.10      0.55  412.00   51200.0    88.20   36.40   99.80

The header names the columns; rates of several reports of one device are several facts. The first report is
an average since boot and is marked by `since_boot` = 1. Of a long series the worst is kept beside both ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..evidence import Severity, Stamp, Subject
from ..evidence.storage import IoStatistics
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source, stamp_of

# Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s ...
HEADER = re.compile(r"^Device:? +(?:[rwdft][\w/-]*|tps|%\w+)(?: +[\w/%-]+){2,30}\s*$")
NUMBER = re.compile(r"\d{1,15}(?:[.,]\d{1,6})?")
NAMES = {
    "r/s": "reads_per_s",
    "w/s": "writes_per_s",
    "rkB/s": "read_kib_per_s",
    "wkB/s": "write_kib_per_s",
    "kB_read/s": "read_kib_per_s",
    "kB_wrtn/s": "write_kib_per_s",
    "r_await": "read_wait_ms",
    "w_await": "write_wait_ms",
    "f_await": "flush_wait_ms",
    "await": "wait_ms",
    "aqu-sz": "queue_length",
    "avgqu-sz": "queue_length",
    "%util": "busy_percent",
    "tps": "transfers_per_s",
}
SERIES_LIMIT = 20


@dataclass
class Sample:
    """One device in one report."""

    line: Line
    device: str
    values: dict[str, float]
    stamp: Stamp | None


def read(text: Text) -> Iterator[IoStatistics]:
    series: dict[str, list[Sample]] = {}
    columns: list[str] = []
    stamp: Stamp | None = None
    reports = 0
    for line in text.lines():
        row = line.text[:1000].rstrip()
        if HEADER.match(row):
            columns, reports = row.split()[1:], reports + 1
        elif columns and row:
            device, *cells = row.split()
            if len(cells) != len(columns) or not all(NUMBER.fullmatch(cell) for cell in cells):
                columns = []
                continue
            values = dict(zip(columns, (float(cell.replace(",", ".")) for cell in cells), strict=True))
            named = {NAMES[name]: value for name, value in values.items() if name in NAMES}
            if reports == 1:
                named["since_boot"] = 1.0
            series.setdefault(device, []).append(Sample(line, device, named, stamp))
        elif not row:
            columns = []
        elif found := stamp_of(row):
            stamp = found
    for samples in series.values():
        for sample in kept(samples):
            yield told(text, sample)


def kept(samples: list[Sample]) -> list[Sample]:
    """All of a short series; of a long one the first, the busiest and the last."""
    if len(samples) <= SERIES_LIMIT:
        return samples
    busiest = max(range(1, len(samples)), key=lambda number: slowness(samples[number]))
    return [samples[number] for number in sorted({0, busiest, len(samples) - 1})]


def slowness(sample: Sample) -> tuple[float, float]:
    values = sample.values
    waits = (values.get(name, 0.0) for name in ("read_wait_ms", "write_wait_ms", "wait_ms"))
    return values.get("busy_percent", 0.0), max(waits)


def told(text: Text, sample: Sample) -> IoStatistics:
    busy, wait = slowness(sample)
    loaded = busy >= 95 and wait >= 50 and "since_boot" not in sample.values
    return IoStatistics(
        source=source(text, sample.line),
        subject=Subject(device=sample.device),
        stamp=sample.stamp,
        severity=Severity.WARNING if loaded else Severity.INFO,
        values=sample.values,
    )


PARSER = Parser(
    tool="iostat",
    medium="io-statistics",
    footprint=footprint_of(HEADER),
    read=read,
)
