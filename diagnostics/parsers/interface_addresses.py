"""Which interface has which IPv4 address: `ip addr`, `ip -br addr`, `ifconfig` old and new.

    docker0   Link encap:Ethernet  HWaddr 02:42:a9:9e:3d:33
              inet addr:172.17.0.1  Bcast:0.0.0.0  Mask:255.255.0.0
    3: docker0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP
        inet 172.17.0.1/16 brd 172.17.255.255 scope global docker0
    docker0          DOWN           172.17.0.1/16

IPv6 and the state of a link are left to other parsers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source, Subject
from ..evidence.job import SettingSeen
from ..footprint import footprint_of
from ..text import Text
from . import Parser

_ADDRESS = r"(\d{1,3}(?:\.\d{1,3}){3})"
HEADING = re.compile(r"^(?:\d{1,6}: )?([A-Za-z][\w.-]{0,40})(?:@\w{1,20})?(?: {2,12}Link encap:|: (?:flags=|<[A-Z]))")
BELOW = re.compile(rf"^\s{{4,12}}inet (?:addr:)?{_ADDRESS}(?:/\d{{1,2}})?\b")
BRIEF = re.compile(rf"^([A-Za-z][\w.-]{{0,40}})(?:@\w{{1,20}})? +(?:UP|DOWN|UNKNOWN) +{_ADDRESS}/\d{{1,2}}\b")


def read(text: Text) -> Iterator[SettingSeen]:
    interface = ""
    for line in text.lines():
        row = line.text[:300]
        brief = BRIEF.match(row)
        if heading := HEADING.match(row):
            interface = heading[1]
        below = BELOW.match(row) if interface else None
        name, address = brief.groups() if brief else (interface, below[1]) if below else ("", "")
        if address:
            yield SettingSeen(
                source=Source(text.name, line.number, line.quote),
                subject=Subject(interface=name),
                name="interface address",
                value=address,
            )


PARSER = Parser(
    tool="ip addr and ifconfig",
    medium="network",
    footprint=footprint_of(BELOW, BRIEF),
    read=read,
)
