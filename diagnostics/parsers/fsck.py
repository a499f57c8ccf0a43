"""What a filesystem's check finds: e2fsck, xfs_repair, btrfs check and scrub.

    /dev/sdb1: UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY.
    Inode 13107210 has an invalid extent node (blk 52461612, lblk 0)
    bad magic # 0x0 in btbno block 12/3401
    parent transid verify failed on 22036480 wanted 23894 found 23916

The passes and a clean bill are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.kernel import FilesystemError
from ..text import Text
from . import Parser
from ._snapshot import source

# the filesystem, and what its check says of damage
FOUND = (
    (
        "ext4",
        "UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY|WARNING: Filesystem still has errors"
        "|contains a file system with errors, check forced",
    ),
    (
        "ext4",
        r"^(?:Inode|Directory inode|Entry|Block bitmap|Free blocks count wrong|Multiply-claimed block).{0,120}\b"
        "(?:has an? (?:invalid|illegal|corrupt)|corrupt|is too big|differences|wrong|invalid)",
    ),
    (
        "xfs",
        "^bad (?:magic|CRC|primary superblock|on-disk superblock|inode|uncorrected).{0,120}"
        "|^(?:Metadata (?:CRC error|corruption) detected at|entry .{0,80} references (?:free|non-existent) "
        "inode|ERROR: The filesystem has valuable metadata changes in a log)",
    ),
    (
        "btrfs",
        r"^(?:parent transid verify failed on \d|checksum verify failed on \d"
        r"|ERROR: (?:errors found in|cannot open file system)|bad tree block \d|root \d{1,12} inode \d{1,12} errors)",
    ),
    ("btrfs", r"^\s{0,8}(?:Corrected|Uncorrectable|Unverified): {2,20}[1-9]"),
)
PATTERNS = tuple((filesystem, re.compile(pattern)) for filesystem, pattern in FOUND)
DEVICE = re.compile(r"(?:^|\s)/dev/([\w/-]{2,60}?)(?:[:\s]|$)")


def read(text: Text) -> Iterator[FilesystemError]:
    device = None
    for line in text.lines():
        row = line.text[:500]
        if found := DEVICE.search(row):
            device = found[1]
        filesystem = next((name for name, pattern in PATTERNS if pattern.search(row)), None)
        if filesystem:
            yield FilesystemError(
                source=source(text, line),
                subject=Subject(device=device),
                severity=Severity.CRITICAL,
                filesystem=filesystem,
                about="corruption",
                text=" ".join(row.split()),
            )


PARSER = Parser(
    tool="fsck, xfs_repair, btrfs check",
    medium="listing",
    footprint="|".join(pattern for _, pattern in FOUND),
    read=read,
)
