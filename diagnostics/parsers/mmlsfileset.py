"""`mmlsfileset DEVICE -L` and `-i` of GPFS: the inodes of each fileset that has a space of its own.

    Name       Status    Path                  InodeSpace      MaxInodes    AllocInodes     UsedInodes
    root       Linked    /gpfs/fs1                      0        2154496        2154496        2154456

The titles stand in any order, and a comment may end a row. A fileset that shares its parent's inodes shows 0, and is
skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.storage import DiskUsage
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source

HEADING = re.compile(r"^Name {1,80}(?=.{0,200}\bMaxInodes\b)(?=.{0,200}\bUsedInodes\b).{1,300}$")
NEEDED = {"MaxInodes", "UsedInodes"}
NUMBER = re.compile(r"[0-9]{1,18}")
FULL = 0.999


def read(text: Text) -> Iterator[DiskUsage]:
    titles: list[str] = []
    for line in text.lines():
        row = line.text[:2000].rstrip()
        if HEADING.match(row):
            titles = row.split() if set(row.split()) >= NEEDED else []
        elif titles:
            cells = row.split(None, len(titles) - 1)
            if len(cells) == len(titles) and (fact := _usage(text, line, dict(zip(titles, cells, strict=True)))):
                yield fact


def _usage(text: Text, line: Line, row: dict[str, str]) -> DiskUsage | None:
    most, used = row["MaxInodes"], row["UsedInodes"].split()[0]
    if not (NUMBER.fullmatch(most) and NUMBER.fullmatch(used) and int(most)):
        return None
    share = int(used) / int(most)
    return DiskUsage(
        source=source(text, line),
        subject=Subject(mount=row.get("Path") if row.get("Path", "").startswith("/") else None),
        severity=Severity.CRITICAL if share >= FULL else Severity.INFO,
        size=int(most),
        used=int(used),
        available=max(int(most) - int(used), 0),
        used_percent=round(100 * share, 2),
        inodes=True,
    )


PARSER = Parser(
    tool="mmlsfileset",
    medium="disk-usage",
    footprint=footprint_of(HEADING),
    read=read,
)
