"""`ifconfig`: whether a port is up and has a link, its MTU and its errors.

    eth0: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 1500
            RX errors 3  dropped 0  overruns 0  frame 3

A port that is up and not running has no carrier. Counters that are zero are skipped, and so are the ports of
containers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Subject
from ..evidence.job import SettingSeen
from ..evidence.network import PortErrors, PortState
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._snapshot import source

PORT = re.compile(r"^([\w.-]{1,40}): flags=\d{1,6}<([A-Z,_0-9-]{0,120})>  mtu (\d{1,6})")
ERRORS = re.compile(
    r"^\s{4,12}([RT]X) errors (\d{1,18}) {1,3}dropped \d{1,18} {1,3}overruns (\d{1,18}) {1,3}(frame|carrier) (\d{1,18})"
)
INSIDE = re.compile(r"^(?:lo|docker|veth|br-|cali|cni|flannel|tunl|virbr|dummy)")


def read(text: Text) -> Iterator[Evidence]:
    port: str | None = None
    for line in text.lines():
        row = line.text[:300]
        if found := PORT.match(row):
            port = None if INSIDE.match(found[1]) else found[1]
            if port is None:
                continue
            flags = found[2].split(",")
            lost = "UP" in flags and "RUNNING" not in flags
            yield PortState(
                source=source(text, line),
                subject=Subject(interface=port),
                severity=Severity.WARNING if lost else Severity.INFO,
                state="up" if "RUNNING" in flags else "down" if lost else "off",
                fabric="infiniband" if port.startswith("ib") else "ethernet",
            )
            yield SettingSeen(
                source=source(text, line), subject=Subject(interface=port), name=f"mtu {port}", value=found[3]
            )
        elif port and (found := ERRORS.match(row)):
            way = found[1].lower()
            counts = {
                f"{way} errors": int(found[2]),
                f"{way} overruns": int(found[3]),
                f"{way} {found[4]}": int(found[5]),
            }
            counts = {name: count for name, count in counts.items() if count}
            if counts:
                yield PortErrors(
                    source=source(text, line), subject=Subject(interface=port), severity=Severity.INFO, counts=counts
                )


PARSER = Parser(tool="ifconfig", medium="network", footprint=footprint_of(PORT), read=read)
