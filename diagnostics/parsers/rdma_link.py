"""`rdma link`: the RDMA ports of a host.

link mlx5_7/1 subnet_prefix fe80:0000:0000:0000 lid 3403 sm_lid 1 lmc 0 state DOWN physical_state POLLING
link rocep1s0/1 state ACTIVE physical_state LINK_UP netdev ens1f0np0
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.network import PortState
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._snapshot import source

LINK = re.compile(
    r"^\s{0,8}(?:\d{1,4}/\d{1,4}: )?link (?P<port>[\w.-]{1,32})/\d{1,3}:? (?P<rest>.{0,200}?)\bstate "
    "(?P<state>[A-Z_]{2,20}) physical_state (?P<physical>[A-Z_]{2,30})"
)
WORDS = {"ACTIVE": "up", "DOWN": "down", "INIT": "init", "ARMED": "init"}


def read(text: Text) -> Iterator[PortState]:
    for line in text.lines():
        if found := LINK.match(line.text[:500]):
            state = WORDS.get(found["state"], found["state"].lower())
            yield PortState(
                source=source(text, line),
                subject=Subject(interface=found["port"]),
                severity=Severity.INFO if state == "up" else Severity.WARNING,
                state=state,
                fabric="infiniband" if "subnet_prefix" in found["rest"] else "ethernet",
            )


PARSER = Parser(
    tool="rdma link",
    medium="network",
    footprint=footprint_of(LINK),
    read=read,
)
