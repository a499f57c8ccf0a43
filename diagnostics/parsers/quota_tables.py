"""Quotas as their tools show them: `quota -s`, `lfs quota -h`, `mmlsquota`, `xfs_quota -c report`, a site's own tables.

    Disk quotas for user alice (uid 12031):
         Filesystem   space   quota   limit   grace   files   quota   limit   grace
    nfs01:/home      51200M* 49152M  51200M   6days    812k       0       0

A row counts where a header above it names what is used (space, used, blocks), the quota and the limit. Where the rows
have fewer cells than the header (no grace period in them), the first three numbers are those three. A limit of 0 is
none. A star behind a number is the tool's own mark for a quota that is exceeded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..evidence import Severity, Subject
from ..evidence.storage import QuotaUsage
from ..footprint import footprint_of
from ..sizes import size_bytes
from ..text import Line, Text
from . import Parser
from ._snapshot import source

# Filesystem   space   quota   limit   grace   files   quota   limit   grace
HEADER = re.compile(
    r"(?i)^\s{0,40}(?:Filesystem|Block Limits|User|Group|Project)\b.{0,120}\b"
    r"(?:space|used|blocks|kbytes|KB)\b.{0,40}\b(?:quota|soft)\b.{0,40}\b(?:limit|hard)\b"
)
CELL = re.compile(r"^(?P<size>\d{1,15}(?:\.\d{1,6})?[KMGTPkmgtp]?(?:i?B)?)(?P<over>\*?)$")
# alice|  1200||    1.00 TiB|    1.00 TiB||   812312| unlimited
BEEGFS = re.compile(
    r"^\s{0,40}([\w.@-]{1,60})\|\s{0,12}\d{1,12}\|\|\s{0,12}([\d.]{1,12} ?[KMGTP]?i?B?)\|\s{0,12}"
    r"([\d.]{1,12} ?[KMGTP]?i?B?|unlimited)\|\|\s{0,12}(\d{1,15})\|\s{0,12}(\d{1,15}|unlimited)\s*$"
)
LIMITS = 3  # used, quota, limit
COUNTED = 12  # rows below one header


class Amount(NamedTuple):
    """One group of used, quota and limit."""

    used: int
    soft: int
    hard: int
    marked: bool


def read(text: Text) -> Iterator[QuotaUsage]:
    left, name = 0, ""
    for line in text.lines():
        row = line.text[:400]
        if found := BEEGFS.match(row):
            yield from told(text, line, "", [of_hard(found[2], found[3], 1024), of_hard(found[4], found[5], 1)])
            continue
        if HEADER.match(row):
            left, name = COUNTED, ""
            continue
        words = row.split()
        if not left or not words:
            left = max(left - (not words), 0)
            continue
        left -= 1
        numbers = [found for word in words if (found := CELL.match(word))]
        if not CELL.match(words[0]):
            name = words[0]
        if len(numbers) >= LIMITS:
            yield from told(text, line, name, [amount(numbers[:LIMITS], 1024), amount(numbers[LIMITS : 2 * LIMITS], 1)])


def amount(cells: list[re.Match[str]], unit: int) -> Amount | None:
    """Used, quota and limit of three cells; a bare number counts `unit`."""
    if len(cells) < LIMITS:
        return None
    used, soft, hard = (size_bytes(cell["size"], unit) or 0 for cell in cells)
    return Amount(used, soft, hard, any(cell["over"] for cell in cells))


def of_hard(used: str, hard: str, unit: int) -> Amount:
    """An amount of which only the hard limit is shown."""
    return Amount(size_bytes(used, unit) or 0, 0, size_bytes(hard, unit) or 0, marked=False)


def told(text: Text, line: Line, name: str, amounts: list[Amount | None]) -> Iterator[QuotaUsage]:
    for found, files in zip(amounts, (False, True), strict=True):
        if found and (found.soft or found.hard or found.marked):
            mount = name if name.startswith("/") else None
            yield QuotaUsage(
                source=source(text, line),
                subject=Subject(mount=mount, device=None if mount else name or None),
                severity=Severity.CRITICAL if found.marked or 0 < found.hard <= found.used else Severity.INFO,
                used=found.used,
                soft=found.soft or None,
                hard=found.hard or None,
                files=files,
                marked=found.marked,
            )


PARSER = Parser(
    tool="quota",
    medium="disk-usage",
    footprint=footprint_of(HEADER, BEEGFS),
    read=read,
)
