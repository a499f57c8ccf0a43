"""`ibstat` and `ibstatus`, InfiniBand and RoCE ports.

    CA 'mlx5_0'
            Port 1:
                    State: Active
                    Physical state: LinkUp
                    Rate: 400
                    Link layer: InfiniBand

    mlx5_3/ports/1/state: 1: DOWN

The last is how the kernel's own files read, listed by their names. A port that is polling is down, and so is one
that somebody disabled; "Initializing" is a port that no subnet manager has set up.
`ibstatus` says the lanes of a link too ("50 Gb/sec (1X HDR)"): a port has four.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..evidence import Severity, Stamp, Subject
from ..evidence.network import PortState
from ..text import Line, Text
from . import Parser
from ._snapshot import source, stamp_before

# CA 'mlx5_0'        Infiniband device 'mlx5_0' port 1 status:
DEVICE = re.compile(r"^(?:CA|Infiniband device) '([\w.-]{1,40})'(?: port (\d{1,3}) status:)?")
PORT = re.compile(r"^\s*Port (\d{1,3}):\s*$")
#                 State: Active             state:           4: ACTIVE
FIELD = re.compile(
    r"^\s*(State|Physical state|Rate|Link layer|state|phys state|rate|link_layer):\s+(?:\d{1,2}: )?(\S.{0,60}?)\s*$"
)
# mlx5_0/ports/1/state: 1: DOWN    rate: 10 Gb/sec (4X SDR)      /sys/class/infiniband/mlx5_0/ports/1/state:4: ACTIVE
OF_SYS = re.compile(
    r"^(?:\S{0,80}/)?(?P<device>[A-Za-z][\w.-]{1,30})/ports/(?P<number>\d{1,3})/state: ?\d: (?P<state>[A-Z]{2,12})"
    r"(?:\s{1,20}rate: (?P<rate>\d{1,5}(?:\.\d)?) Gb/sec)?"
)
STATES = {"active": "up", "down": "down", "initializing": "init", "init": "init", "armed": "init"}


@dataclass
class Port:
    """One port while its lines are read."""

    line: Line
    device: str
    number: str
    stamp: Stamp | None
    state: str = ""
    physical: str = ""
    rate: float | None = None
    fabric: str = "infiniband"
    narrow: bool = False
    state_line: Line | None = None


def read(text: Text) -> Iterator[PortState]:
    device = ""
    port: Port | None = None
    for line in text.lines():
        row = line.text[:200]
        if found := OF_SYS.match(row):
            rate = float(found["rate"]) if found["rate"] else None
            of_sys = Port(line, found["device"], found["number"], None, state=found["state"], rate=rate)
            yield from told(text, of_sys)
        elif found := DEVICE.match(row):
            yield from told(text, port)
            device, port = found[1], None
            if found[2]:
                port = Port(line, device, found[2], stamp_before(text, line))
        elif found := PORT.match(row):
            yield from told(text, port)
            port = Port(line, device, found[1], stamp_before(text, line))
        elif port and (found := FIELD.match(row)):
            note(port, line, found[1].lower(), found[2])
    yield from told(text, port)


def note(port: Port, line: Line, name: str, value: str) -> None:
    if name == "state":
        port.state, port.state_line = value, line
    elif name in ("physical state", "phys state"):
        port.physical = value
    elif name == "rate":
        found = re.match(r"\d{1,5}(?:\.\d+)?", value)
        port.rate = float(found[0]) if found else None
        port.narrow = "(1X" in value
    elif name in ("link layer", "link_layer"):
        port.fabric = value.lower()


def told(text: Text, port: Port | None) -> Iterator[PortState]:
    if port is None or not port.state:
        return
    state = STATES.get(port.state.lower(), port.state.lower())
    yield PortState(
        source=source(text, port.state_line or port.line),
        subject=Subject(interface=port.device if port.number == "1" else f"{port.device}:{port.number}"),
        stamp=port.stamp,
        severity=Severity.INFO if state == "up" else Severity.WARNING,
        state=state,
        rate_gbit_s=port.rate,
        fabric=port.fabric,
        disabled=port.physical.lower() == "disabled",
        could_be="4X" if port.narrow and port.fabric == "infiniband" and state == "up" else "",
    )


PARSER = Parser(
    tool="ibstat",
    medium="network",
    footprint=r"^CA '[\w.-]+'|^Infiniband device '[\w.-]+' port \d|^[ \t]+Physical state: (LinkUp|Polling|Disabled)"
    r"|/ports/\d{1,3}/state: ?\d: [A-Z]{2}",
    read=read,
)
