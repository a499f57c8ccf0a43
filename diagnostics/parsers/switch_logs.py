"""Ports of an Ethernet switch, in its own log: Cisco and Arista, Juniper, SONiC.

    leaf3 : %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet12/1, changed state to down
    leaf3 %ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/12 is down (Link failure)
    leaf3 mib2d[4242]: SNMP_TRAP_LINK_DOWN: ifIndex 512, ifAdminStatus up(1), ifOperStatus down(2), ifName et-0/0/12
    leaf3 NOTICE swss#orchagent: :- updatePortOperStatus: Port Ethernet12 oper state set from up to down

A port that somebody switched off (administratively) is none. The switch is the host.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.kernel import LinkChange
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import messages

_PORT = r"(?P<port>[A-Za-z][\w./:-]{1,40}?)"
CHANGE = re.compile(
    rf"%(?:LINEPROTO|LINK)-\d-UPDOWN: (?:Line protocol on )?Interface {_PORT}, changed state to (?P<cisco>up|down)\b"
    rf"|%ETHPORT-\d-IF_(?P<nexus>UP|DOWN)\w{{0,40}}: Interface {_PORT.replace('port', 'port2')} is (?:up|down)"
    f"|SNMP_TRAP_LINK_(?P<juniper>UP|DOWN): .{{0,120}}?ifAdminStatus up.{{0,80}}?ifName "
    rf"{_PORT.replace('port', 'port3')}\s*$"
    rf"|updatePortOperStatus: Port {_PORT.replace('port', 'port4')} oper state set from \w{{2,10}} to "
    r"(?P<sonic>up|down)\b"
)
SWITCHED_OFF = re.compile(r"[Aa]dministratively|ADMIN_DOWN|IF_DOWN_(?:CFG_CHANGE|ADMIN)")


def read(text: Text) -> Iterator[LinkChange]:
    for message in messages(text, INTERESTING):
        found = CHANGE.search(message.line.text[:600])
        if not found or SWITCHED_OFF.search(message.line.text[:600]):
            continue
        known = found.groupdict()
        port = next(value for name, value in known.items() if name.startswith("port") and value)
        state = next(value for name, value in known.items() if not name.startswith("port") and value)
        up = state.lower() == "up"
        yield LinkChange(
            **message.facts(text, interface=port),
            severity=Severity.INFO if up else Severity.WARNING,
            up=up,
            fabric="ethernet",
        )


INTERESTING = re.compile(r"UPDOWN: |%ETHPORT-\d-IF_|SNMP_TRAP_LINK_|updatePortOperStatus")

PARSER = Parser(
    tool="a switch's log",
    medium="switch-log",
    footprint=footprint_of(CHANGE),
    read=read,
)
