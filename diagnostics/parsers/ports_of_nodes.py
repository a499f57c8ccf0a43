r"""States of RDMA ports of several nodes, one port a line: `ibstat` or `ibdev2netdev` on all of them, as pdsh passes it
on or a person writes it down.

    n03  mlx5_0  State: Active        Physical state: LinkUp
    n07: mlx5_2 port 1 ==> ib2 (Down)
    n09: link mlx5_1/1 state DOWN physical_state POLLING
    n11   ibp12s0   INIT     LinkUp    400

The node comes first. Skipped: lines without one, which belong to whoever printed them, and headings.
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

NODE = (
    r"^\s{0,8}\[?(?!link\b|port\b|ca\b|hca\b|device\b|infiniband\b)"
    r"(?P<host>[A-Za-z][\w.-]{0,40}\d[\w.-]{0,20})\]?(?::\s{0,8}|\s{1,20}\|?\s{0,8})"
)
PORT = r"(?P<port>(?:mlx[45](?:_bond)?_|hfi1_|qib|bnxt_re|irdma|erdma_|ib|ibp\d{1,3}s|rocep\d{1,3}s|ibs)\d{1,3}\w{0,6})"
STATE = r"(?P<state>Active|Down|Init(?:ializ(?:ing|e))?|Armed)"
# n03  mlx5_0  State: Active        Physical state: LinkUp       n11   ibp12s0:1   INIT     LinkUp    400
ROW = re.compile(
    rf"(?i){NODE}(?:link |ca '?|device )?{PORT}(?:'?[:/ ]\s{{0,4}}(?:port )?\d{{1,2}})?[:,|]?\s{{1,20}}(?:\|\s{{0,8}})?"
    rf"(?:state[:=]?\s{{0,8}})?(?:\d: )?{STATE}\b(?P<rest>[^\n]{{0,120}})$"
)
# n07: mlx5_2 port 1 ==> ib2 (Down)
NETDEV = re.compile(rf"{NODE}{PORT} port \d{{1,2}} ==> [\w.-]{{1,20}} \((?P<state>Up|Down)\)")
OF_ETHERNET = re.compile(r"(?:roce|bnxt|irdma|erdma|mlx5_bond)")
WORDS = {"active": "up", "up": "up", "down": "down", "armed": "init"}
DISABLED = re.compile(r"\bdisabled\b", re.I)


def read(text: Text) -> Iterator[PortState]:
    for line in text.lines():
        row = line.text[:300]
        if found := ROW.match(row) or NETDEV.match(row):
            state = WORDS.get(found["state"].lower(), "init")
            yield PortState(
                source=source(text, line),
                subject=Subject(host=found["host"], interface=found["port"]),
                severity=Severity.INFO if state == "up" else Severity.WARNING,
                state=state,
                fabric="ethernet" if found.re is NETDEV or OF_ETHERNET.match(found["port"]) else "infiniband",
                disabled=DISABLED.search(found.groupdict().get("rest") or "") is not None,
            )


PARSER = Parser(
    tool="ports of several nodes",
    medium="network",
    footprint=footprint_of(ROW, NETDEV),
    read=read,
)
