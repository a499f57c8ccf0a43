"""Totals of system calls: `strace -c`, `perf trace -s`, bcc's `syscount -L`.

    % time     seconds  usecs/call     calls    errors syscall
     71.42   81.907113        4106     19945      8210 openat

       syscall            calls  errors  total       min       avg       max       stddev
                                         (msec)    (msec)    (msec)    (msec)        (%)
       openat             19945   8210 81907.113     0.004     4.106   301.220      1.10%

    SYSCALL                   COUNT        TIME (us)
    openat                    19945     81907113.120

The sum at the end of a table is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.process import SystemCallTotal
from ..footprint import footprint_of
from ..text import Text
from . import Parser

# % time     seconds  usecs/call     calls    errors syscall
STRACE = re.compile(r"^% time {1,8}seconds {1,4}usecs/call {1,8}calls {1,8}errors syscall\s*$")
OF_STRACE = re.compile(
    r"^ {0,4}\d{1,3}\.\d\d {1,8}(?P<time>\d{1,9}\.\d{6}) {1,12}\d{1,10} {1,12}(?P<calls>\d{1,12}) {1,12}"
    r"(?:\d{1,12} )? {0,12}(?P<name>[a-z_]\w{1,40})\s*$"
)
#    syscall            calls  errors  total       min       avg       max       stddev
PERF = re.compile(r"^ {1,8}syscall {1,20}calls {1,8}(?:errors {1,8})?total {1,12}min {1,12}avg {1,12}max\b")
OF_PERF = re.compile(
    r"^ {1,8}(?P<name>[a-z_]\w{1,40}) {1,20}(?P<calls>\d{1,12}) {1,8}(?:\d{1,12} {1,8})?"
    r"(?P<time>\d{1,12}\.\d{3}) {1,10}\d{1,12}\.\d{3} "
)
# SYSCALL                   COUNT        TIME (us)
SYSCOUNT = re.compile(r"^SYSCALL {1,24}COUNT {1,12}TIME \((?P<unit>us|ms)\)\s*$")
OF_SYSCOUNT = re.compile(r"^(?P<name>[a-z_]\w{1,40}) {1,24}(?P<calls>\d{1,12}) {1,16}(?P<time>\d{1,15}\.\d{1,6})\s*$")
TABLES = ((STRACE, OF_STRACE, 1.0), (PERF, OF_PERF, 1e-3), (SYSCOUNT, OF_SYSCOUNT, 1e-6))
STRAYS = 2  # a ruler and a row of units stand below a heading


def read(text: Text) -> Iterator[SystemCallTotal]:
    rows: re.Pattern[str] | None = None
    scale, strays = 1.0, 0
    for line in text.lines():
        row = line.text[:300]
        headings = ((found, pattern, of) for heading, pattern, of in TABLES if (found := heading.match(row)))
        if table := next(headings, None):
            heading, rows, scale = table
            strays = 0
            if heading.groupdict().get("unit") == "ms":
                scale = 1e-3
        elif rows and (found := rows.match(row)):
            strays = 0
            if found["name"] != "total":
                yield SystemCallTotal(
                    source=Source(text.name, line.number, line.quote),
                    name=found["name"],
                    calls=int(found["calls"]),
                    seconds=float(found["time"]) * scale,
                )
        elif rows:
            strays += 1
            rows = None if strays > STRAYS or not row.strip() else rows


PARSER = Parser(
    tool="strace -c, perf trace -s, syscount",
    medium="system-calls",
    footprint=footprint_of(STRACE, PERF, SYSCOUNT),
    read=read,
)
