"""`ibv_devinfo`, also its lines alone with the host before them.

hca_id: mlx5_0
                port:   1
                        state:                  PORT_ACTIVE (4)
                        active_mtu:             4096 (5)
                        link_layer:             InfiniBand
g1  active_mtu: 1024 (3)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Subject
from ..evidence.job import SettingSeen
from ..evidence.network import PortState
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._snapshot import source

DEVICE = re.compile(r"^(?:([\w.-]{1,80})[: ]\s{0,20})?hca_id:\s{1,8}([\w.-]{1,40})\s*$")
STATE = re.compile(r"^(?:([\w.-]{1,80})[: ])?\s{1,40}state:\s{1,40}(?:PORT_)?(ACTIVE|DOWN|INIT|ARMED|POLLING) \(\d\)")
MTU = re.compile(r"^(?:([\w.-]{1,80})[: ])?\s{0,40}active_mtu:\s{1,40}(\d{3,5}) \(\d\)")
STATES = {"ACTIVE": "up", "DOWN": "down", "POLLING": "down", "INIT": "init", "ARMED": "init"}


def read(text: Text) -> Iterator[Evidence]:
    device: str | None = None
    for line in text.lines():
        row = line.text[:300]
        if found := DEVICE.match(row):
            device = found[2]
        elif device and (found := STATE.match(row)):
            state = STATES[found[2]]
            yield PortState(
                source=source(text, line),
                subject=Subject(host=found[1], interface=device),
                severity=Severity.INFO if state == "up" else Severity.WARNING,
                state=state,
                fabric="infiniband",
            )
        elif found := MTU.match(row):
            subject = Subject(host=found[1], interface=device)
            yield SettingSeen(source=source(text, line), subject=subject, name="rdma mtu", value=found[2])


PARSER = Parser(
    tool="ibv_devinfo",
    medium="network",
    footprint=footprint_of(DEVICE, MTU),
    read=read,
)
