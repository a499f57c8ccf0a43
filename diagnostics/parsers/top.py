"""`top -b`, also with -H.

    top - 12:53:26 up 3 days,  2:10,  1 user,  load average: 8.12, 7.90, 6.01
        PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
      21544 u1001     20   0   91.5g  18.1g  12.0g D   0.0   4.7 412:10.33 python3

With -H a row is a thread, which the column PID does not say: its state is then kept as the process's. The
summary above the table is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..durations import seconds
from ..evidence import Stamp, Subject
from ..evidence.process import ProcessState
from ..footprint import footprint_of
from ..sizes import size_bytes
from ..text import Line, Text, whole_number
from . import Parser
from ._snapshot import source, stamp_of, state_severity

TITLE = re.compile(r"^top - (\d\d:\d\d:\d\d) up ")
# a person's own choice of columns is told from ps by TIME+
HEADER = re.compile(r"^ *PID +(?:USER +PR +NI +VIRT +RES\b|[A-Z% ]{0,60}TIME\+)")
NUMBER = re.compile(r"\d{1,6}(?:[.,]\d+)?")


def read(text: Text) -> Iterator[ProcessState]:
    columns: list[str] = []
    stamp: Stamp | None = None
    for line in text.lines():
        row = line.text[:4000].rstrip()
        if found := TITLE.match(row):
            stamp, columns = stamp_of(found[1]), []
        elif HEADER.match(row):
            columns = row.split()
        elif columns and row:
            cells = dict(zip(columns, row.split(None, len(columns) - 1), strict=False))
            if whole_number(cells.get("PID", "")) is not None and len(cells) == len(columns):
                yield told(text, line, cells, stamp)
            else:
                columns = []


def told(text: Text, line: Line, cells: dict[str, str], stamp: Stamp | None) -> ProcessState:
    state = cells.get("S", "")[:1]
    resident = size_bytes(cells.get("RES", ""), 1024)
    percent = cells.get("%CPU", "")
    command = cells.get("COMMAND", "")
    word = command.partition(" ")[0].rsplit("/", 1)[-1]
    return ProcessState(
        source=source(text, line),
        subject=Subject(pid=whole_number(cells["PID"]), comm=word[:15] or None),
        stamp=stamp,
        severity=state_severity(state),
        state=state or None,
        cpu_s=seconds(cells.get("TIME+", cells.get("TIME", ""))),
        cpu_percent=float(percent.replace(",", ".")) if NUMBER.fullmatch(percent) else None,
        rss_kib=resident // 1024 if resident is not None else None,
        user=cells.get("USER"),
        command=command,
    )


PARSER = Parser(tool="top", medium="process-table", footprint=footprint_of(HEADER), read=read)
