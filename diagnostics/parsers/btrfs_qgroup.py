"""`btrfs qgroup show`, with -r, -e, -p, -c or --raw: what each subvolume holds of its quota.

    Qgroupid    Referenced    Exclusive  Max referenced  Max exclusive   Path
    --------    ----------    ---------  --------------  -------------   ----
    0/257         39.97GiB     39.97GiB        40.00GiB           none   data/ada

Older versions call the columns qgroupid, rfer, excl, max_rfer and max_excl. A group without a limit tells nothing of a
quota, and is skipped. The volume is the one that the command above the table names.
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

# qgroupid         rfer         excl     max_rfer     max_excl parent  child
HEADER = re.compile(r"(?i)^\s{0,8}qgroup ?id\s{1,20}(?:rfer|referenced)\s{1,20}excl(?:usive)?\b")
COLUMNS = re.compile(r"(?i)\b(max[ _])?(?:(rfer|referenced)|excl(?:usive)?)\b")
# 0/257         39.97GiB     39.97GiB     40.00GiB         none ---     ---
ROW = re.compile(r"^\s{0,8}\d{1,5}/\d{1,20}\s+(?=\d)")
# $ btrfs qgroup show -re /scratch
COMMAND = re.compile(r"\bbtrfs qg(?:roup)? sh(?:ow)?\b(?: -\S{1,40}){0,8} (/\S{0,300})")
PATH = re.compile(r"\s{2,}(?!<)([\w.@/-]{1,300})\s*$")
PARENTS = re.compile(r"^\d{1,5}/\d{1,20}(?:,|$)")


def read(text: Text) -> Iterator[QuotaUsage]:
    volume: str | None = None
    columns: list[str] = []
    for line in text.lines():
        row = line.text[:600]
        if found := COMMAND.search(row):
            volume, columns = found[1].rstrip("/") or "/", []
        elif HEADER.match(row):
            columns = [
                ("max " if limit else "") + ("rfer" if referenced else "excl")
                for limit, referenced in COLUMNS.findall(row)
            ]
        elif columns and (found := ROW.match(row)):
            sizes = {name: size_bytes(cell) for name, cell in zip(columns, row[found.end() :].split(), strict=False)}
            path = PATH.search(row)
            for name in ("rfer", "excl"):
                used, hard = sizes.get(name), sizes.get(f"max {name}")
                if used is None or not hard:
                    continue
                named = path[1] if path and volume and not PARENTS.match(path[1]) and path[1] != "---" else None
                yield QuotaUsage(
                    source=source(text, line),
                    subject=Subject(mount=volume, path=f"{volume}/{named}".replace("//", "/") if named else None),
                    severity=Severity.CRITICAL if used >= hard else Severity.INFO,
                    used=used,
                    soft=None,
                    hard=hard,
                )


PARSER = Parser(tool="btrfs qgroup", medium="disk-usage", footprint=footprint_of(HEADER), read=read)
