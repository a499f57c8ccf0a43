"""The kernel about a network device that it cannot let go of, because somebody keeps a reference to it.

    unregister_netdevice: waiting for lo to become free. Usage count = 1

It is said every ten seconds while it lasts. Meanwhile no network namespace of the machine is made or ended.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.kernel import NetworkDeviceKept
from ..text import Text
from . import Parser
from ._table import WARNING, Row, Table

TABLE = Table(
    Row(r"unregister_netdevice: waiting for (?P<interface>\S{1,32}) to become free\. Usage count = -?\d{1,9}",
        "kept", WARNING),
)  # fmt: skip


def read(text: Text) -> Iterator[NetworkDeviceKept]:
    for hit in TABLE.hits(text):
        yield NetworkDeviceKept(
            source=hit.log.source(hit.line),
            subject=hit.subject,
            stamp=hit.message.stamp,
            severity=hit.row.severity,
            text=hit.message.message[:200],
        )


PARSER = Parser(tool="the kernel's network namespaces", medium="kernel-log", footprint=TABLE.footprint, read=read)
