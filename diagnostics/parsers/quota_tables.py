"""Quotas as their tools show them: `quota -s`, `lfs quota -h`, `mmlsquota`, `xfs_quota -c report`, `csc-workspaces`,
`juicefs quota list`, a site's own tables.

    Disk quotas for user alice (uid 12031):
         Filesystem   space   quota   limit   grace   files   quota   limit   grace
    nfs01:/home      51200M* 49152M  51200M   6days    812k       0       0

    Disk area               Capacity(used/max)  Files(used/max)
    Personal home folder    3.1G/10G            99.99k/100k *

    | Path |   Size  |   Used  | Use% | Inodes | IUsed | IUse% |
    | /d   | 1.0 GiB | 1.0 GiB | 100% |  1,000 |     1 |    0% |

    project    limit    used
    lab-a      30G      30.0G

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
# Disk area   Capacity(used/max)  Files(used/max)      user   home used / limit
PAIRED = re.compile(r"(?i)^\s{0,8}\S.{0,80}\b(?:used|usage) ?/ ?(?:limit|max|quota|hard)\b")
PAIR = re.compile(
    r"(?<![\w./])(?P<used>\d{1,12}(?:\.\d{1,4})?) ?(?P<unit>[KMGTPk]?i?B?) ?/ ?"
    r"(?P<limit>\d{1,12}(?:\.\d{1,4})?) ?(?P<of>[KMGTPk]?i?B?)(?P<over> ?\*)?(?![\w./])"
)
# project   limit   used      (no column for a soft limit)
COLUMNS = re.compile(
    r"(?i)^[|\s]{0,8}(?:path|workspace|project|user|group|fileset|dataset|volume)\b"
    r"(?=.{0,120}(?:\s{2}|\|) ?used\b)(?=.{0,120}(?:\s{2}|\|) ?(?:size(?=\s{1,8}\|)|limit|hard|quota|max)\b)"
)
OF_MEMORY = re.compile(r"(?i)\b(?:mem|memory|ram|gpus?|cpus?|hours|soft)\b")
APART = re.compile(r"\s{0,20}\|\s{0,20}|\s{2,60}|\t")
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
    paired, columns = False, None
    for line in text.lines():
        row = line.text[:400]
        if PAIRED.match(row) and not OF_MEMORY.search(row):
            paired = True
            continue
        if paired:
            paired = bool(row.strip())
            yield from _of_pairs(text, line, row)
            continue
        if COLUMNS.match(row) and not (HEADER.match(row) or OF_MEMORY.search(row)):
            columns = _columns(row)
            continue
        if columns and (cells := _of_columns(row, columns)):
            yield from told(text, line, *cells)
            continue
        columns = columns if columns and row.strip("+-| ") == "" and row.strip() else None
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


def _of_pairs(text: Text, line: Line, row: str) -> Iterator[QuotaUsage]:
    """A row of used and limit with a slash between: of space, and behind it of files."""
    pairs = [
        Amount(
            size_bytes(found["used"] + (found["unit"] or found["of"])) or 0,
            0,
            size_bytes(found["limit"] + found["of"]) or 0,
            marked=bool(found["over"]),
        )
        for found in PAIR.finditer(row)
    ]
    name = APART.split(row.strip())[0]
    yield from told(text, line, name, [pairs[0] if pairs else None, pairs[1] if len(pairs) > 1 else None])


def _columns(row: str) -> tuple[int, int] | None:
    """Which columns hold what is used and the limit."""
    titles = [title.lower() for title in APART.split(row.strip().strip("|").strip())]
    limits = [at for at, title in enumerate(titles) if title in ("limit", "hard", "quota", "max", "size")]
    return (titles.index("used"), limits[0]) if "used" in titles and limits else None


def _of_columns(row: str, columns: tuple[int, int]) -> tuple[str, list[Amount | None]] | None:
    cells = APART.split(row.strip().strip("|").strip())
    if len(cells) <= max(columns):
        return None
    used, hard = (size_bytes(cells[at]) for at in columns)
    return (cells[0], [Amount(used, 0, hard, marked=False), None]) if used is not None and hard else None


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
    footprint=footprint_of(HEADER, BEEGFS, PAIRED, COLUMNS),
    read=read,
)
