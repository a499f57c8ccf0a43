"""`show_gids`: the addresses by which RDMA over Ethernet reaches a port.

DEV     PORT    INDEX   GID                                     IPv4            VER     DEV
mlx5_0  1       0       fe80:0000:0000:0000:0e42:a1ff:fe5b:1a10                 v1      eth2
mlx5_0  1       3       0000:0000:0000:0000:0000:ffff:c633:6414 198.51.100.20   v2      eth2
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.network import GidEntry
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._snapshot import source

# mlx5_0  1       3       0000:0000:0000:0000:0000:ffff:c633:6414 198.51.100.20   v2      eth2
ROW = re.compile(
    r"^(\w{2,40})\s+\d{1,3}\s+(\d{1,3})\s+((?:[0-9a-f]{4}:){7}[0-9a-f]{4})(?:\s+(\d{1,3}(?:\.\d{1,3}){3}))?\s+"
    r"(?:RoCE )?v([12])\b"
)


def read(text: Text) -> Iterator[GidEntry]:
    for line in text.lines():
        if found := ROW.match(line.text[:300]):
            yield GidEntry(
                source=source(text, line),
                subject=Subject(interface=found[1]),
                index=int(found[2]),
                address=found[4] or found[3],
                version=int(found[5]),
            )


PARSER = Parser(
    tool="show_gids",
    medium="network",
    footprint=footprint_of(ROW),
    read=read,
)
