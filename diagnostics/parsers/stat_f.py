"""`stat -f PATH`.

      File: "/workspace/mfs/mnt"
        ID: 0        Namelen: 255     Type: fuseblk
    Block size: 65536      Fundamental block size: 65536
    Blocks: Total: 0          Free: 0          Available: 0
    Inodes: Total: 1003011727 Free: 1003011701

The path need not be the mount point. A network volume whose data servers are gone answers with 0 blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Stamp, Subject
from ..evidence.storage import DiskUsage
from ..text import Line, Text
from . import Parser
from ._snapshot import source, stamp_before

#   File: "/workspace/mfs/mnt"
FILE = re.compile(r'^\s*File: "(/[^"]*)"')
# Block size: 65536      Fundamental block size: 65536
BLOCK = re.compile(r"^\s*Block size: (\d{1,12})")
# Blocks: Total: 0          Free: 0          Available: 0
COUNTS = re.compile(r"^\s*(Blocks|Inodes): Total: (\d{1,20}) +Free: (\d{1,20})(?: +Available: (\d{1,20}))?")


def read(text: Text) -> Iterator[DiskUsage]:
    path: str | None = None
    block = 1
    stamp: Stamp | None = None
    for line in text.lines():
        if found := FILE.match(line.text):
            path, stamp = found[1], stamp_before(text, line)
        elif found := BLOCK.match(line.text):
            block = int(found[1])
        elif path and (found := COUNTS.match(line.text)):
            yield usage(text, line, found, path, block, stamp)


def usage(text: Text, line: Line, found: re.Match[str], path: str, block: int, stamp: Stamp | None) -> DiskUsage:
    inodes = found[1] == "Inodes"
    unit = 1 if inodes else block
    total, free = int(found[2]), int(found[3])
    used = total - free
    available = int(found[4] or found[3])
    share = round(100 * used / (used + available), 1) if used + available > 0 else None
    return DiskUsage(
        source=source(text, line),
        subject=Subject(path=path),
        stamp=stamp,
        severity=Severity.CRITICAL if share is not None and total and available == 0 else Severity.INFO,
        size=total * unit,
        used=used * unit,
        available=available * unit,
        used_percent=share,
        inodes=inodes,
    )


PARSER = Parser(
    tool="stat -f", medium="disk-usage", footprint=r"^[ \t]*(Blocks|Inodes): Total: \d+ +Free: \d+", read=read
)
