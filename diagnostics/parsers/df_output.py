"""`df --output=FIELDS`: the columns that somebody asked for, in their order.

    Filesystem     Type   Inodes  IUsed    IFree IUse% 1K-blocks     Used    Avail Use% Mounted on
    /dev/vda       ext4 16777216 720491 16056725    5% 264212084 36331280 70059632  35% /

    Use% Mounted on
     35% /

What `df` prints by default is read by its own parser. A row is one fact of its bytes and one of its inodes, as far as
it has them. A lone column says too little to be recognised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Stamp, Subject
from ..evidence.storage import DiskUsage
from ..filesystems import identify
from ..sizes import size_bytes
from ..text import Line, Text
from . import Parser
from ._snapshot import source, stamp_before
from .df import TITLE, block_size, is_chosen, severity

PERCENT = re.compile(r"^(\d{1,3})%$")
WITH_SPACES = frozenset(("Mounted on", "File"))  # last, they may hold spaces


def read(text: Text) -> Iterator[DiskUsage]:
    titles: list[str] = []
    stamp: Stamp | None = None
    for line in text.lines():
        row = line.text[:5000].strip()
        if is_chosen(row):
            titles = TITLE.findall(row)
            stamp = stamp_before(text, line)
        elif titles:
            cells = row.split(None, len(titles) - 1) if titles[-1] in WITH_SPACES else row.split()
            if len(cells) != len(titles):
                titles = []
                continue
            yield from facts(text, line, dict(zip(titles, cells, strict=True)), stamp)


def facts(text: Text, line: Line, row: dict[str, str], stamp: Stamp | None) -> Iterator[DiskUsage]:
    device, type_ = row.get("Filesystem"), row.get("Type", "")
    server = identify(device, type_ or "fuse").server(device) if device else None
    path = row.get("File", "-")
    subject = Subject(
        mount=row.get("Mounted on"), device=device, server=server, path=path if path.startswith("/") else None
    )
    size_title = next((title for title in row if title == "Size" or title.endswith("-blocks")), "Size")
    unit = 1024 if size_title == "Size" else block_size(size_title)
    for size, used, available, percent, each, inodes in (
        (size_title, "Used", "Avail", "Use%", unit, False),
        ("Inodes", "IUsed", "IFree", "IUse%", 1, True),
    ):
        counts = [size_bytes(row.get(title, "-"), each) for title in (size, used, available)]
        found = PERCENT.match(row.get(percent, ""))
        share = float(found[1]) if found else None
        if share is not None or any(count is not None for count in counts):
            yield DiskUsage(
                source=source(text, line),
                subject=subject,
                stamp=stamp,
                severity=severity(share, type_ in ("squashfs", "iso9660")),
                size=counts[0],
                used=counts[1],
                available=counts[2],
                used_percent=share,
                inodes=inodes,
            )


PARSER = Parser(
    tool="df --output",
    medium="disk-usage",
    footprint=(
        r"^ *(Filesystem|Type|Inodes|IUsed|IFree|IUse%|\d*[KMG]?B?-blocks|Size|Used|Avail|Use%|File|Mounted on)"
        r"( +(Type|Inodes|IUsed|IFree|IUse%|\d*[KMG]?B?-blocks|Size|Used|Avail|Use%|File|Mounted on"
        "|Filesystem)){1,11} *$"
    ),
    read=read,
)
