"""`nvidia-smi topo -m`: how GPUs and network cards are connected.

            GPU0    GPU1    NIC0    CPU Affinity    NUMA Affinity
    GPU0     X      NV18    PIX     0-47            0
    GPU1    NV18     X      SYS     0-47            0

Each device's row is one setting: NV# is NVLink, PIX and PXB stay below one PCIe bridge, SYS crosses the sockets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import SettingSeen
from ..text import Text
from . import Parser
from ._snapshot import source

HEADER = re.compile(r"^\s+GPU0\s+(?:(?:GPU\d{1,3}|NIC\d{1,3}|mlx\d_\d{1,3})\s+)*")
# GPU0     X      NV18    PIX     0-47            0
ROW = re.compile(r"^(GPU(\d{1,3})|NIC\d{1,3}|mlx\d_\d{1,3})\s+((?:(?:X|NV\d{1,3}|PIX|PXB|PHB|NODE|SYS)\s+)+)")


def read(text: Text) -> Iterator[SettingSeen]:
    columns: list[str] = []
    for line in text.lines():
        row = line.text[:2000]
        if HEADER.match(row):
            columns = re.findall(r"\b(?:GPU\d{1,3}|NIC\d{1,3}|mlx\d_\d{1,3})\b", row)
        elif columns and (found := ROW.match(row + " ")):
            links = [f"{to}={link}" for to, link in zip(columns, found[3].split(), strict=False) if link != "X"]
            yield SettingSeen(
                source=source(text, line),
                subject=Subject(gpu=int(found[2]) if found[2] else None),
                name=f"topology {found[1]}",
                value=" ".join(links),
            )


PARSER = Parser(tool="nvidia-smi topo", medium="gpu", footprint=r"^GPU0[ \t]+X[ \t]", read=read)
