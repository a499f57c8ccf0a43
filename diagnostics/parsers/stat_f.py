"""`stat -f PATH`, also with -t (terse).

      File: "/workspace/mfs/mnt"
        ID: 0        Namelen: 255     Type: fuseblk
    Block size: 65536      Fundamental block size: 65536
    Blocks: Total: 0          Free: 0          Available: 0
    Inodes: Total: 1003011727 Free: 1003011701

    /workspace ea5c85fa23433c9f 255 ef53 4096 4096 66053021 56970201 17514908 16777216 16056725

Terse fields are the name, ID, longest name, type, block sizes, then blocks (total, free, available) and inodes (total,
free). The path need not be the mount point. A network volume whose data servers are gone answers with 0 blocks.
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
# /workspace ea5c85fa23433c9f 255 ef53 4096 4096 66053021 56970201 17514908 16777216 16056725
TERSE = re.compile(r"^(/\S{0,1000}) [0-9a-f]{1,16} \d{1,5} [0-9a-f]{1,8} \d{1,10} (\d{1,10})((?: \d{1,20}){5})$")


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
            counts = (int(found[2]), int(found[3]), int(found[4] or found[3]))
            unit = 1 if found[1] == "Inodes" else block
            yield usage(text, line, path, counts, unit, found[1] == "Inodes", stamp)
        elif found := TERSE.match(line.text):
            blocks, free, available, inodes, unused = map(int, found[3].split())
            stamp = stamp_before(text, line)
            yield usage(text, line, found[1], (blocks, free, available), int(found[2]), False, stamp)
            yield usage(text, line, found[1], (inodes, unused, unused), 1, True, stamp)


def usage(
    text: Text, line: Line, path: str, counts: tuple[int, int, int], unit: int, inodes: bool, stamp: Stamp | None
) -> DiskUsage:
    """Total, free and available, each of `unit` bytes (or inodes), as a fact."""
    total, free, available = counts
    used = total - free
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
    tool="stat -f",
    medium="disk-usage",
    footprint=(
        r"^[ \t]*(Blocks|Inodes): Total: \d+ +Free: \d+"
        r"|^/\S* [0-9a-f]{1,16} \d{1,5} [0-9a-f]{1,8} \d{1,10} \d{1,10}( \d{1,20}){5}$"
    ),
    read=read,
)
