"""`df` in bytes or blocks (-h, -k, -P, -T) and `df -i`.

    Filesystem      Size  Used Avail Use% Mounted on
    /dev/loop0      344M  344M     0 100% /workspace/ckpt

The header says the unit and whether inodes are counted; a row without a header is taken as -h when it has
suffixes, else as kilobytes. A filesystem that does not answer is left out by df or shows 0 blocks: a missing
row is no fact, and df's own errors are read with those of other tools. Full filesystems that cannot be
anything else (snap, squashfs, ISO) are no warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Stamp, Subject
from ..evidence.storage import DiskUsage
from ..filesystems import identify
from ..sizes import size_bytes
from ..text import Line, Text
from . import Parser
from ._snapshot import source, stamp_before

# Filesystem      Size  Used Avail Use% Mounted on
HEADER = re.compile(r"^Filesystem +(?:Type +)?(Size|Inodes|\d*[KMG]?B?-blocks|1K-blocks|512-blocks) +\S", re.IGNORECASE)
# the same words as titles of columns that somebody chose (--output): another parser's
_TITLES = r"Filesystem|Type|Inodes|IUsed|IFree|IUse%|(?:\d*[KMG]?B?-blocks)|Size|Used|Avail|Use%|File|Mounted on"
TITLE = re.compile(_TITLES)
CHOSEN = re.compile(rf"^(?:{_TITLES})(?: +(?:{_TITLES})){{1,11}}$")
DEFAULT = re.compile(
    r"^Filesystem +(?:Type +)?(?:Inodes +IUsed +IFree +IUse%|(?:Size|\S{0,6}-blocks) +Used +Avail +Use%) +Mounted on$"
)
# /dev/vda        252G   31G   71G  31% /      overlay   overlay   20G  0.5G   20G   3% /
ROW = re.compile(
    r"^(?:(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,6})? +)?(\S.{0,255}?)?[ \t]+([\d.,]+[KMGTPE]?|-) +"
    r"([\d.,]+[KMGTPE]?|-) +([\d.,]+[KMGTPE]?|-) +(\d{1,3}%|-) +(/.*)$"
)
LUSTRE_TARGET = re.compile(r"/[^ \[]{0,1000}\[(?:MDT|OST):\d{1,6}\]$")
BLOCK = re.compile(r"(\d*)([KMG]?)B?-blocks", re.IGNORECASE)
ALWAYS_FULL = re.compile(r"^/(?:snap|var/lib/snapd|media|cdrom)(?:/|$)")


def read(text: Text) -> Iterator[DiskUsage]:
    unit, inodes, typed, stamp = 1024, False, False, None
    wrapped, chosen = "", False
    for line in text.lines():
        row = line.text[:5000].rstrip()
        if is_chosen(row.strip()):
            chosen = True
        elif chosen and row and not HEADER.match(row):
            continue
        elif header := HEADER.match(row):
            inodes = header[1].lower() == "inodes"
            typed = " Type " in row[:40]
            unit = 1 if inodes else block_size(header[1])
            stamp, wrapped, chosen = stamp_before(text, line), "", False
        elif LUSTRE_TARGET.search(row):
            continue  # `lfs df`: a part of a volume, not a mount
        elif found := ROW.match(row if not wrapped or not row.startswith(" ") else wrapped + row):
            yield usage(text, line, found, unit, inodes, typed, stamp)
            wrapped = ""
        else:
            # a long device name stands on a line of its own
            wrapped = row if row and " " not in row and len(row) > 15 else ""
            chosen = chosen and bool(row)


def is_chosen(row: str) -> bool:
    """True for a header whose columns are not those that df prints by itself."""
    return CHOSEN.match(row[:300]) is not None and not DEFAULT.match(row)


def usage(
    text: Text, line: Line, found: re.Match[str], unit: int, inodes: bool, typed: bool, stamp: Stamp | None
) -> DiskUsage:
    device, size, used, available, percent, mount = found.groups()
    words = (device or "").split()
    type_ = words[-1] if typed and len(words) > 1 else ""
    device = " ".join(words[:-1] if type_ else words)
    share = float(percent[:-1]) if percent != "-" else None
    harmless = ALWAYS_FULL.match(mount) or type_ in ("squashfs", "iso9660") or device == "none"
    return DiskUsage(
        source=source(text, line),
        subject=Subject(mount=mount, device=device, server=identify(device, type_ or "fuse").server(device)),
        stamp=stamp,
        severity=severity(share, bool(harmless)),
        size=size_bytes(size, unit),
        used=size_bytes(used, unit),
        available=size_bytes(available, unit),
        used_percent=share,
        inodes=inodes,
    )


def severity(share: float | None, harmless: bool) -> Severity:
    if share is None or harmless or share < 95:
        return Severity.INFO
    return Severity.CRITICAL if share >= 100 else Severity.WARNING


def block_size(column: str) -> int:
    """The bytes that a number in the size column counts."""
    found = BLOCK.fullmatch(column)
    if not found:
        return 1  # "Size": human-readable, every number has its suffix
    return int(found[1] or 1) << 10 * {"": 0, "K": 1, "M": 2, "G": 3}[found[2].upper()]


PARSER = Parser(
    tool="df",
    medium="disk-usage",
    footprint=(
        r"^Filesystem +(Type +)?(Size|Inodes|\d*[KMGkmg]?B?-blocks) "
        r"|^(\d\d:\d\d:\d\d +)?\S+ +[\d.]+[KMGTP]? +[\d.]+[KMGTP]? +[\d.]+[KMGTP]? +\d+% +/"
    ),
    read=read,
)
