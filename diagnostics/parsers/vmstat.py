"""`vmstat N`, with or without -t and -w.

    procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
     r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
     1  4      0 812344  10240 301220    0    0     0     8  310  512  2  1 47 50  0

The first row is an average since boot (`since_boot` = 1). Of a long series the row with the most blocked
processes or waiting is kept beside both ends. Memory columns are left to meminfo: their unit is an option.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.storage import IoStatistics
from ..footprint import footprint_of
from ..text import Line, Text, whole_number
from . import Parser
from ._snapshot import source, stamp_of

HEADER = re.compile(r"^ *r +b +swpd +free +(?:buff|inact) +(?:cache|active) +si +so +bi +bo +in +cs +us +sy +id +wa\b")
NAMES = {
    "r": "tasks_running",
    "b": "blocked",
    "si": "swap_in_per_s",
    "so": "swap_out_per_s",
    "bi": "blocks_in_per_s",
    "bo": "blocks_out_per_s",
    "us": "user_percent",
    "sy": "system_percent",
    "id": "idle_percent",
    "wa": "iowait_percent",
    "st": "stolen_percent",
}
SERIES_LIMIT = 20


def read(text: Text) -> Iterator[IoStatistics]:
    samples: list[tuple[Line, dict[str, float]]] = []
    columns: list[str] = []
    for line in text.lines():
        row = line.text[:400]
        if HEADER.match(row):
            columns = row.split()
        elif columns:
            cells = row.split()
            numbers = [whole_number(cell) for cell in cells]
            if len(cells) < 16 or None in numbers[:16]:
                continue  # the line of group titles is repeated between the rows
            numbered = dict(zip(columns, numbers, strict=False))
            values = {NAMES[name]: float(n) for name, n in numbered.items() if name in NAMES and n is not None}
            if not samples:
                values["since_boot"] = 1.0
            samples.append((line, values))
    for line, values in kept(samples):
        swapping = values["swap_in_per_s"] + values["swap_out_per_s"] > 1000 and "since_boot" not in values
        yield IoStatistics(
            source=source(text, line),
            stamp=stamp_of(" ".join(line.text.split()[17:])),
            severity=Severity.WARNING if swapping else Severity.INFO,
            values=values,
        )


def kept(samples: list[tuple[Line, dict[str, float]]]) -> list[tuple[Line, dict[str, float]]]:
    """All of a short series; of a long one the first, the worst and the last."""
    if len(samples) <= SERIES_LIMIT:
        return samples
    worst = max(range(1, len(samples)), key=lambda n: (samples[n][1]["blocked"], samples[n][1]["iowait_percent"]))
    return [samples[number] for number in sorted({0, worst, len(samples) - 1})]


PARSER = Parser(
    tool="vmstat",
    medium="io-statistics",
    footprint=footprint_of(HEADER),
    read=read,
)
