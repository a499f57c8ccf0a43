"""One counter over the ports of a host, a port a line: `grep . /sys/class/infiniband/*/ports/*/counters/link_downed`,
node_exporter's metrics, or a loop over the adapters whose file or heading names the counter.

    /sys/class/infiniband/mlx5_3/ports/1/counters/link_downed:26
    node_infiniband_link_downed_total{device="mlx5_3",port="1"} 26

    $ for d in mlx5_{0..3}; do echo $d $(cat /sys/class/infiniband/$d/ports/1/counters/symbol_error); done
    mlx5_3 48213

Only counters of damage and of lost links are kept. A listing of bare names and numbers is skipped where its heading and
file name no counter, or several. Tables of several counters are read by `port_counter_tables`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.network import PortErrors
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source

_NAME = (
    r"(?:symbol_error|link_error_recovery|link_downed|port_rcv_errors|local_link_integrity_errors"
    "|excessive_buffer_overrun_errors|rx_icrc_encapsulated|SymbolErrorCounter|LinkErrorRecoveryCounter"
    "|LinkDownedCounter|PortRcvErrors)"
)
# /sys/class/infiniband/mlx5_3/ports/1/counters/link_downed:26      mlx5_3/ports/1/counters/link_downed 26
FILE = re.compile(
    rf"^(?:/sys/class/infiniband/)?(?P<port>[a-z]\w{{1,30}}/ports/\d{{1,3}})/(?:hw_)?counters/"
    rf"(?P<name>{_NAME})[:= \t]{{1,8}}(?P<count>\d{{1,18}})\s*$"
)
# node_infiniband_link_downed_total{device="mlx5_3",port="1"} 26
METRIC = re.compile(
    rf"^\w{{0,20}}infiniband_(?P<name>{_NAME})\w{{0,10}}\{{(?P<labels>[^}}]{{1,300}})\}} (?P<count>\d{{1,18}}"
    rf"(?:\.\d{{1,9}})?(?:e\+?\d{{1,2}})?)(?: \d{{10,13}})?\s*$"
)
DEVICE, PORT = re.compile(r'\bdevice="([\w.-]{1,32})"'), re.compile(r'\bport="(\d{1,3})"')
# mlx5_3 26      mlx5_3/1: 26
BARE = re.compile(
    r"^\s{0,8}(?P<port>(?:mlx[45]|hfi1|bnxt_re|irdma|efa|qedr|roce|ib)_?\w{0,12}(?:/\d{1,3})?)"
    r"(?::[ \t]{0,20}|[ \t]{1,20}|=)(?P<count>\d{1,18})\s*$"
)
NAMED = re.compile(rf"(?<![A-Za-z])({_NAME})(?![A-Za-z])")
LONGEST = 400


def read(text: Text) -> Iterator[PortErrors]:
    heading: str | None = _only_name(text.name)
    for line in text.lines():
        row = line.text[:LONGEST]
        if found := FILE.match(row):
            yield _counted(text, line, found["port"].replace("/ports/", "/"), found["name"], int(found["count"]))
        elif found := METRIC.match(row):
            device, port = DEVICE.search(found["labels"]), PORT.search(found["labels"])
            if device:
                interface = f"{device[1]}/{port[1]}" if port else device[1]
                yield _counted(text, line, interface, found["name"], int(float(found["count"])))
        elif found := BARE.match(row):
            if heading:
                yield _counted(text, line, found["port"], heading, int(found["count"]))
        elif NAMED.search(row):
            heading = _only_name(row)


def _only_name(said: str) -> str | None:
    """The counter that a heading or a file's name tells of; none where it tells of several."""
    names = set(NAMED.findall(said))
    return names.pop() if len(names) == 1 else None


def _counted(text: Text, line: Line, interface: str, name: str, count: int) -> PortErrors:
    return PortErrors(
        source=source(text, line),
        subject=Subject(interface=interface),
        severity=Severity.WARNING if count else Severity.INFO,
        counts={name: count},
    )


PARSER = Parser(
    tool="one counter over several ports", medium="network", footprint=footprint_of(FILE, METRIC, BARE), read=read
)
