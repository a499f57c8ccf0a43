"""`perfquery` and `ibqueryerrors` (InfiniBand port counters).

    # Port counters: Lid 12 port 1 (CapMask: 0x5A00)
    SymbolErrorCounter:..............65535
    LinkDownedCounter:...............3

    Errors for "gpu-n14 mlx5_3"
       GUID 0x1070fd030072d0b1 port 1: [SymbolErrorCounter == 65535] [LinkDownedCounter == 23]

Counters stop at their largest value (65535 or 255) and do not say since when they count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..evidence import Severity, Subject
from ..evidence.network import PortErrors
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source

PORT = re.compile(r"^# Port (?:extended )?counters: Lid (\d{1,7}) port (\d{1,3})")
# SymbolErrorCounter:..............65535
COUNTER = re.compile(r"^([A-Z][A-Za-z0-9]{2,40}):\.{2,60}(\d{1,20})\s*$")
# Errors for 0x1070fd030072d0b1 "gpu-n14 mlx5_3"
NODE = re.compile(r'^\s{0,8}Errors for (?:0x[0-9a-f]{1,16} )?"([^"]{1,100})"')
#    GUID 0x1070fd030072d0b1 port 1: [SymbolErrorCounter == 65535] [LinkDownedCounter == 23]
GUID = re.compile(r"^\s{0,8}GUID (0x[0-9a-f]{1,16}) port (\d{1,3}|ALL): ?\[")
QUERIED = re.compile(r"\[([A-Z][A-Za-z0-9]{2,40}) == (\d{1,20})")
FAULT = re.compile(r"Error|Downed|Discards|Recovery|Overrun|VL15Dropped|Exc")


@dataclass
class Port:
    """One port's counters."""

    line: Line
    name: str | None
    counts: dict[str, int] = field(default_factory=dict)
    worst: Line | None = None


def read(text: Text) -> Iterator[PortErrors]:
    port: Port | None = None
    node: str | None = None
    for line in text.lines():
        row = line.text[:200]
        if found := PORT.match(row):
            yield from told(text, port)
            port = Port(line, f"lid {found[1]} port {found[2]}")
        elif found := NODE.match(row):
            node = found[1]
        elif (found := GUID.match(row)) and found[2] != "ALL":  # "ALL" sums up the ports that follow
            counts = {name: int(count) for name, count in QUERIED.findall(line.text[:1000]) if FAULT.search(name)}
            yield from told(text, Port(line, f"{node or found[1]} port {found[2]}", counts, line))
        elif (found := COUNTER.match(row)) and FAULT.search(found[1]):
            port = port or Port(line, None)
            port.counts[found[1]] = int(found[2])
            if int(found[2]) and port.worst is None:
                port.worst = line
    yield from told(text, port)


def told(text: Text, port: Port | None) -> Iterator[PortErrors]:
    if port and port.counts:
        yield PortErrors(
            source=source(text, port.worst or port.line),
            subject=Subject(interface=port.name),
            severity=Severity.WARNING if port.worst else Severity.INFO,
            counts=port.counts,
        )


PARSER = Parser(
    tool="perfquery",
    medium="network",
    footprint=footprint_of(PORT, GUID, COUNTER),
    read=read,
)
