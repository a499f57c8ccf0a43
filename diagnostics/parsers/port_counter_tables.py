"""Error counters of ports as a table: a port a row, and the counters' names as the heading.

                symbol_error  link_error_recovery  link_downed
    mlx5_0/1               0                    0            0
    mlx5_4/1           61204                   14            0

    PORT    SymbolErrorCounter   LinkDownedCounter
    leaf3/17           48213                   2

The names are those of the kernel's files, of perfquery or of `ethtool -S`, two of them at least. A row with more or
fewer numbers than the heading has names is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.network import PortErrors
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._snapshot import source

_NAME = (
    r"(?:symbol_errors?|link_error_recovery|link_downed|port_rcv_errors|local_link_integrity_errors"
    r"|excessive_buffer_overrun_errors|port_xmit_discards|SymbolError\w{0,8}|LinkErrorRecovery\w{0,8}"
    r"|LinkDowned\w{0,8}|PortRcvErrors"
    r"|LocalLinkIntegrityErrors|[rt]x_(?:crc_errors|symbol_err|errors|discards|dropped)\w{0,4})"
)
#             symbol_error  link_error_recovery  link_downed
HEADING = re.compile(
    rf"^\s{{0,60}}(?:(?:port|device|dev|hca|interface|iface|nic)\s{{1,60}})?"
    rf"({_NAME}(?:\s{{1,40}}{_NAME}){{1,12}})\s{{0,20}}$",
    re.I,
)
# mlx5_4/1           61204                   14            0
ROW = re.compile(r"^\s{0,20}([A-Za-z][\w.:/-]{1,60})((?:\s{1,60}\d{1,15}){2,13})\s{0,20}$")
MOST = 2000  # ports of one table


def read(text: Text) -> Iterator[PortErrors]:
    for heading in text.matching(PARSER.pattern):
        found = HEADING.match(heading.text[:600])
        if not found:
            continue
        names = found[1].split()
        for line in text.after(heading, limit=MOST):
            row = ROW.match(line.text[:600])
            numbers = [int(number) for number in row[2].split()] if row else []
            if not row or len(numbers) != len(names):
                break
            yield PortErrors(
                source=source(text, line),
                subject=Subject(interface=row[1]),
                severity=Severity.WARNING if any(numbers) else Severity.INFO,
                counts=dict(zip(names, numbers, strict=True)),
            )


PARSER = Parser(tool="a table of port counters", medium="network", footprint=f"(?i){footprint_of(HEADING)}", read=read)
