"""`ethtool DEV` and `ethtool -S DEV`.

    Settings for eth0:
            Speed: 100000Mb/s
            Link detected: yes
    NIC statistics:
         rx_crc_errors_phy: 18

Of the statistics the counters are kept that count faults (errors, discards, drops, link downs) and are not zero.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Subject
from ..evidence.network import PortErrors, PortState
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source

DEVICE = re.compile(r"^Settings for ([\w.:-]{1,40}):|ethtool (?:-S|--statistics) ([\w.:-]{1,40})")
SPEED = re.compile(r"^\s*Speed: (\d{1,7})Mb/s")
LINK = re.compile(r"^\s*Link detected: (yes|no)\b")
#      rx_crc_errors_phy: 18
COUNTER = re.compile(r"^\s+([a-z][\w.]{2,60}): (\d{1,20})\s*$")
FAULT = re.compile(r"err|crc|discard|drop|symbol|link_down|fifo|fcs|timeout|pause_storm|out_of_buffer|oversize")
PHYSICAL = re.compile(r"crc|symbol|link_down|fcs")
HEADER = re.compile(r"^NIC statistics:")


def read(text: Text) -> Iterator[Evidence]:
    interface: str | None = None
    speed: float | None = None
    head: Line | None = None
    worst: Line | None = None
    counts: dict[str, int] = {}
    for line in text.lines():
        row = line.text[:300]
        if found := DEVICE.search(row):
            interface, speed = found[1] or found[2], None
            head = line if found[2] else None  # a filter behind the command drops the heading
        elif found := SPEED.match(row):
            speed = int(found[1]) / 1000
        elif found := LINK.match(row):
            yield PortState(
                source=source(text, line),
                subject=Subject(interface=interface),
                severity=Severity.INFO if found[1] == "yes" else Severity.WARNING,
                state="up" if found[1] == "yes" else "down",
                rate_gbit_s=speed,
            )
        elif HEADER.match(row):
            head = line
        elif head and (found := COUNTER.match(row)) and FAULT.search(found[1]) and int(found[2]):
            counts[found[1]] = int(found[2])
            worst = worst or (line if PHYSICAL.search(found[1]) else None)
    if head:
        yield PortErrors(
            source=source(text, worst or head),
            subject=Subject(interface=interface),
            severity=Severity.WARNING if worst else Severity.INFO,
            counts=counts,
        )


PARSER = Parser(
    tool="ethtool",
    medium="network",
    footprint=footprint_of(DEVICE, HEADER, LINK),
    read=read,
)
