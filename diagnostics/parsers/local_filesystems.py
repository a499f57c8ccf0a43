"""Local filesystems in the kernel log: ext4, xfs, btrfs and their kin.

    EXT4-fs error (device nvme0n1p1): ext4_find_entry:1683: inode #2: comm sh: reading directory lblock 0
    EXT4-fs (nvme0n1p1): Remounting filesystem read-only
    XFS (nvme0n1p1): Metadata corruption detected at xfs_agi_verify+0x1/0x2
    XFS (nvme0n1p1): Unmounting Filesystem 9b01c89b-2390-4a92-8bcd-250d819d7ef1
    BTRFS error (device sda1): bdev /dev/sda1 errs: wr 1, rd 0, flush 0, corrupt 0, gen 0

That a filesystem was unmounted is read too; mounting, recovery and feature notes are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.kernel import FilesystemError, FilesystemUnmounted, RemountedReadOnly
from ..text import Text
from . import Parser
from ._table import CRITICAL, INFO, WARNING, Row, Table

_DEVICE = r"(?P<device>[\w./-]{1,64})"
TABLE = Table(
    Row(rf"(?:EXT[234]-fs|ext[234]-fs|F2FS-fs) \({_DEVICE}\): [Rr]emounting filesystem read-only",
        "read-only", CRITICAL, "ext4"),
    Row(rf"BTRFS.{{0,20}} \(device {_DEVICE}[^)]{{0,20}}\):? .{{0,20}}forced readonly", "read-only", CRITICAL, "btrfs"),
    Row(rf"(?:EXT[234]|JBD2?)-fs error \(device {_DEVICE}\): ext4_journal_check_start",
        "journal-abort", CRITICAL, "ext4"),
    Row(rf"EXT[234]-fs error \(device {_DEVICE}\):? in \w+:\d+: (?:Journal has aborted|Readonly filesystem|IO failure)",
        "journal-abort", CRITICAL, "ext4"),
    Row(rf"EXT[234]-fs error \(device {_DEVICE}\)", "corruption", CRITICAL, "ext4"),
    Row(rf"EXT[234]-fs warning \(device {_DEVICE}\): .{{0,80}}Directory (?:\(ino: \d+\) )?index full",
        "directory-full", CRITICAL, "ext4"),
    Row(rf"EXT[234]-fs \({_DEVICE}\): (?:group descriptors corrupted|ext4_check_descriptors: .{{0,80}}failed"
        f"|.{{0,40}}bad geometry|checksum .{{0,40}}(?:invalid|failed))", "corruption", CRITICAL, "ext4"),
    Row(rf"EXT[234]-fs \({_DEVICE}\): previous I/O error to superblock", "io-error", CRITICAL, "ext4"),
    Row(rf"EXT[234]-fs warning \(device {_DEVICE}\): ext4_end_bio", "io-error", CRITICAL, "ext4"),
    Row(rf"EXT[234]-fs \({_DEVICE}\): (?:failed to convert unwritten|[Dd]elayed block allocation failed|shut ?down)",
        "io-error", CRITICAL, "ext4"),
    Row(rf"EXT[234]-fs \({_DEVICE}\): .{{0,20}}This should not happen", "io-error", CRITICAL, "ext4"),
    Row(rf"EXT[234]-fs \({_DEVICE}\): (?:warning: )?mounting fs with errors", "corruption", CRITICAL, "ext4"),
    Row(r"Aborting journal on device (?P<device>[\w./-]{1,60}?)-\d+\.?$", "journal-abort", CRITICAL, "ext4"),
    Row(r"JBD2?: (?:Error -\d+|I/O error|Detected IO errors)(?:.{0,80} (?:for|on) (?P<device>[\w./-]{1,60}?)-\d+\b)?",
        "io-error", CRITICAL, "ext4"),
    Row(rf"XFS \({_DEVICE}\): .{{0,80}}(?:log I/O error|metadata I/O error|writeback error|I/O error)",
        "io-error", CRITICAL, "xfs"),
    Row(rf"XFS \({_DEVICE}\): .{{0,80}}(?:[Cc]orruption|corrupt\b|Internal error|Bad dir|Metadata CRC error)",
        "corruption", CRITICAL, "xfs"),
    Row(rf"XFS \({_DEVICE}\): .{{0,80}}(?:xfs_do_force_shutdown|[Ff]ilesystem has been shut down"
        "|Shutting down filesystem)", "shutdown", CRITICAL, "xfs"),
    Row(rf"XFS \({_DEVICE}\): possible memory allocation deadlock", "other", WARNING, "xfs"),
    Row(rf"BTRFS error \(device {_DEVICE}\): bdev (?P<path>\S{{1,200}}) errs: .{{0,80}}corrupt 0, gen 0",
        "io-error", CRITICAL, "btrfs"),
    Row(rf"BTRFS (?:error|critical|warning) \(device {_DEVICE}\): .{{0,120}}"
        "(?:csum failed|checksum error|transid verify failed|corrupt)", "corruption", CRITICAL, "btrfs"),
    Row(rf"BTRFS:? error \(device {_DEVICE}[^)]{{0,20}}\).{{0,200}}errno=-28\b"
        r"|BTRFS: Transaction aborted \(error -28\)", "no-space", CRITICAL, "btrfs"),
    Row(rf"BTRFS:? (?:error|critical) \(device {_DEVICE}[^)]{{0,20}}\)", "other", CRITICAL, "btrfs"),
    # the volumes of a thin pool promise more space than the pool has
    Row(r"device-mapper: thin: (?P<device>[\w:]{1,40}): "
        "(?:switching pool to out-of-data-space|no free data space available)", "no-space", CRITICAL, "thin pool"),
    Row(rf"F2FS-fs \({_DEVICE}\): .{{0,80}}(?:[Ii]nconsistent|corrupt|I/O error)", "corruption", CRITICAL, "f2fs"),
    Row(rf"SQUASHFS error: |FAT-fs \({_DEVICE}\): error", "corruption", CRITICAL, "other"),
    Row(r"ZFS: .{0,80}(?:suspended|I/O failure)|WARNING: Pool '.{1,64}' has encountered an uncorrectable I/O failure"
        r"|WARNING: MMP writes to pool '.{1,64}' have not succeeded .{0,60}suspending pool",
        "io-error", CRITICAL, "zfs"),
    Row(rf"EXT[234]-fs \({_DEVICE}\): unmounting filesystem\b", "unmounted", INFO, "ext4"),
    Row(rf"XFS \({_DEVICE}\): Unmounting Filesystem\b", "unmounted", INFO, "xfs"),
    Row(rf"BTRFS info \(device {_DEVICE}[^)]{{0,20}}\): last unmount of filesystem\b", "unmounted", INFO, "btrfs"),
    # what the pool's own records could not be read for: 5 is EIO, 52 a wrong checksum
    Row(r"VERIFY3?[A-Z]{0,2}\(0 == \w.{1,200}\) failed \(0 == (?:5|52)\)", "corruption", CRITICAL, "zfs"),
)  # fmt: skip
_OF = re.compile(r"EXT([234])-fs")
# EXT4-fs error (device rbd2): __ext4_find_entry:1683: inode #2    in xfs_inode_item_push    at xfs_agi_verify+0x1/0x2
_FUNCTION = re.compile(
    r"\): (\w{3,80}):\d+|\bin (\w{3,80}):\d+|\bat (?:line \d+ of file \S+\.\s+Caller )?(\w{3,80})\+0x"
)
# reading directory lblock 0 failed: the disk refused, the directory may be whole
_READING_FAILED = re.compile(
    r"reading directory lblock|unable to read|I/O error|IO failure|error -5\b|comm .{1,20}: error reading|_bh: read"
    "|async write back metadata"
)

# Delayed block allocation failed for inode 2215 ... with error 117: the structure needs cleaning
_NEEDS_CLEANING = re.compile(r"\bwith error 117\b")
# errno=-28 No space left      error -28      max blocks 2 with error 28
_NO_SPACE = re.compile(r"No space left|ENOSPC|\berr(?:or|no)[= ]-?28\b")


def read(text: Text) -> Iterator[Evidence]:
    for hit in TABLE.hits(text):
        said, about = hit.message.message, hit.row.about
        version = _OF.search(said)
        filesystem = f"ext{version[1]}" if version else hit.row.of
        if about in ("read-only", "unmounted"):
            kind = RemountedReadOnly if about == "read-only" else FilesystemUnmounted
            yield kind(
                source=hit.log.source(hit.line),
                subject=hit.subject,
                stamp=hit.message.stamp,
                severity=hit.row.severity,
                filesystem=filesystem,
            )
            continue
        if _NO_SPACE.search(said):
            about = "no-space"
        elif _NEEDS_CLEANING.search(said):
            about = "corruption"
        elif about == "corruption" and hit.row.of == "ext4" and _READING_FAILED.search(said):
            about = "io-error"
        function = _FUNCTION.search(said)
        yield FilesystemError(
            source=hit.log.source(hit.line),
            subject=hit.subject,
            stamp=hit.message.stamp,
            severity=hit.row.severity,
            filesystem=filesystem,
            about=about,
            function=next((name for name in function.groups() if name), None) if function else None,
            text=said[:500],
        )


PARSER = Parser(tool="the kernel's local filesystems", medium="kernel-log", footprint=TABLE.footprint, read=read)
