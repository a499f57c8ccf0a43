"""`mfsgetquota DIRECTORY`: what a directory of MooseFS holds, and its soft and hard limits.

    /data/mfs/team: (current values | soft quota | hard quota) ; soft quota grace period: default
     inodes   |                    4 |                    - |                    - |
     length   |             87773760 |                    - |             90000000 |

The grace period and quantities without a limit are skipped. With -h sizes have units.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.storage import QuotaUsage
from ..footprint import footprint_of
from ..sizes import size_bytes
from ..text import Text
from . import Parser
from ._snapshot import source

# /data/mfs/team: (current values | soft quota | hard quota) ; soft quota grace period: default
HEADER = re.compile(r"^(/.{0,300}?): ?\(current values? \| soft quota \| hard quota\)")
# length   |             87773760 |                    - |             90000000 |
ROW = re.compile(
    r"^\s{0,8}(inodes|length|size|realsize)\s{0,12}\|\s*(\S[^|]{0,30}?)\s*\|\s*(\S[^|]{0,30}?)\s*\|\s*(\S[^|]{0,30}?)\s*\|"
)


def read(text: Text) -> Iterator[QuotaUsage]:
    path: str | None = None
    for line in text.lines():
        row = line.text[:600]
        if found := HEADER.match(row):
            path = found[1]
        elif path and (found := ROW.match(row)):
            used, soft, hard = (size_bytes(cell.replace(" ", "")) for cell in found.groups()[1:])
            if used is None or not (soft or hard):
                continue
            yield QuotaUsage(
                source=source(text, line),
                subject=Subject(path=path),
                severity=Severity.CRITICAL if hard and used >= hard else Severity.INFO,
                used=used,
                soft=soft,
                hard=hard,
                files=found[1] == "inodes",
            )
        elif not row.strip():
            path = None


PARSER = Parser(tool="mfsgetquota", medium="disk-usage", footprint=footprint_of(HEADER), read=read)
