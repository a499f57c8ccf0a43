"""`ip link`, `ip -s link`, `ip addr`, `ip -br link`.

    2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group default qlen 1000
    3: ib0: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 4092 qdisc mq state DOWN

The MTU is a setting. A link that an administrator has not brought up (no UP among its flags) is "off", and no fault;
one that is up and has no carrier is "down". Error counters of -s are kept where any is not zero.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Stamp, Subject
from ..evidence.job import SettingSeen
from ..evidence.network import PortErrors, PortState
from ..footprint import footprint_of
from ..text import Line, Text, whole_number
from . import Parser
from ._snapshot import source, stamp_before

# 2: eth0@if12: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP
# a1: ens6np0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 state UP      (pdsh, or a person, put the host before it)
ROW = re.compile(
    r"^(?:(?P<host>[A-Za-z][\w.-]{0,60}): (?:\d{1,6}: )?|\d{1,6}: )([\w.:-]{1,40})(?:@\S{1,40})?: <"
    r"([A-Z_0-9,-]{0,200})> mtu (\d{1,6})(?:.{0,200}? state (\w{1,20}))?"
)
#     RX:  bytes packets errors dropped  missed   mcast
COUNTERS = re.compile(r"^\s+(RX|TX)(?: errors)?: +([a-z][a-z ]+[a-z])\s*$")
# eth0             UP             02:fc:00:00:00:01 <BROADCAST,MULTICAST,UP,LOWER_UP>
BRIEF = re.compile(
    r"^([\w.:-]{1,40})(?:@\S{1,40})? +(UP|DOWN|UNKNOWN|DORMANT|LOWERLAYERDOWN) +(?:\S{1,60} +)?<"
    r"([A-Z_0-9,-]{0,200})>\s*$"
)
QUIET = frozenset({"bytes", "packets", "mcast"})
VIRTUAL = re.compile(r"^(?:lo|docker|veth|br-|cali|cni|flannel|tunl|dummy|virbr)")


def read(text: Text) -> Iterator[Evidence]:
    interface: str | None = None
    stamp: Stamp | None = None
    awaited: list[str] = []
    for line in text.lines():
        row = line.text[:600]
        if found := ROW.match(row):
            interface, stamp = found[2], stamp_before(text, line)
            yield from told(text, line, found, stamp)
        elif found := BRIEF.match(row):
            yield port_state(text, line, found[1], found[3].split(","), found[2], None)
        elif interface and (found := COUNTERS.match(row)):
            awaited = [f"{found[1].lower()} {name}" for name in found[2].split()]
        elif awaited:
            numbers = [whole_number(cell) for cell in row.split()]
            if None not in numbers:
                counts = {n: c for n, c in zip(awaited, numbers, strict=False) if n.split()[1] not in QUIET and c}
                if counts:
                    yield errors(text, line, interface, stamp, counts)
            awaited = []


def told(text: Text, line: Line, found: re.Match[str], stamp: Stamp | None) -> Iterator[Evidence]:
    host, name, flags, mtu, state = found.groups()
    yield port_state(text, line, name, flags.split(","), state, stamp, host)
    yield SettingSeen(
        source=source(text, line),
        subject=Subject(host=host, interface=name),
        stamp=stamp,
        name=f"mtu {name}",
        value=mtu,
    )


def port_state(
    text: Text, line: Line, name: str, flags: list[str], state: str | None, stamp: Stamp | None, host: str | None = None
) -> PortState:
    up = "LOWER_UP" in flags if state in (None, "UNKNOWN") else state == "UP"
    lost = not up and "UP" in flags
    return PortState(
        source=source(text, line),
        subject=Subject(host=host, interface=name),
        stamp=stamp,
        severity=Severity.WARNING if lost and not VIRTUAL.match(name) else Severity.INFO,
        state="up" if up else "down" if lost else "off",
        fabric="infiniband" if name.startswith("ib") else "ethernet",
    )


def errors(text: Text, line: Line, interface: str | None, stamp: Stamp | None, counts: dict[str, int]) -> PortErrors:
    return PortErrors(
        source=source(text, line),
        subject=Subject(interface=interface),
        stamp=stamp,
        severity=Severity.INFO,
        counts=counts,
    )


PARSER = Parser(
    tool="ip link",
    medium="network",
    footprint=footprint_of(ROW, BRIEF),
    read=read,
)
