"""`hccn_tool -i N -link -g`, the network ports of Ascend NPUs, alone or in a loop over them.

    $ for i in 0 1 2; do hccn_tool -i $i -link -g; done
    link status: DOWN
    link status: UP

Each NPU has one port, which nothing but its collectives uses. What is skipped: addresses, optics and statistics.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.network import PortState
from ..footprint import footprint_of
from ..text import Text, whole_number
from . import Parser
from ._snapshot import source

ASKED = re.compile(r"\bhccn_tool -i (\d{1,3}|\$\{?\w{1,20}\}?) -link(?:_stat)? -g\b")
LOOP = re.compile(r"\bfor \w{1,20} in ((?:\d{1,3} ){0,64}\d{1,3}|\{\d{1,3}\.\.\d{1,3}\}|\$\(seq \d{1,3} \d{1,3}\))\s?;")
RANGE = re.compile(r"(\d{1,3})(?:\.\.| )(\d{1,3})")
STATUS = re.compile(r"^(?:.{0,40}\s)?link status: ?(UP|DOWN)\b", re.I)


def read(text: Text) -> Iterator[PortState]:
    numbers: list[int] = []
    asked = False
    for line in text.lines():
        row = line.text[:600]
        if found := ASKED.search(row):
            asked = True
            numbers = _of_loop(row) if (number := whole_number(found[1])) is None else [number]
        elif asked and (found := STATUS.match(row)):
            number = numbers.pop(0) if numbers else None
            up = found[1].upper() == "UP"
            yield PortState(
                source=source(text, line),
                subject=Subject(interface="npu" if number is None else f"npu{number}", gpu=number),
                severity=Severity.INFO if up else Severity.WARNING,
                state="up" if up else "down",
                fabric="npu",
            )


def _of_loop(row: str) -> list[int]:
    found = LOOP.search(row)
    if not found:
        return []
    if between := RANGE.search(found[1]) if found[1].startswith(("{", "$")) else None:
        return list(range(int(between[1]), int(between[2]) + 1))
    return [int(each) for each in found[1].split()]


PARSER = Parser(
    tool="hccn_tool",
    medium="network",
    footprint=footprint_of(ASKED),
    read=read,
)
