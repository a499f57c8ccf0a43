"""Volumes without room: which are full, and the words for it."""

from __future__ import annotations

import re

from ..evidence import Severity
from ..evidence.kernel import BlockDeviceTrouble, BlockIoError
from ..evidence.storage import DiskUsage
from ..incident import Incident
from ..mounttable import is_below
from ._disks import disk_reports

FULL_PERCENT, ROOMY_PERCENT = 99.0, 90.0
ROOM = 0.01  # of the size: df rounds what is used up
IMAGES = ("squashfs", "iso9660", "erofs", "overlay-image")
NEVER = ("/dev/shm", "/snap", "/sys", "/proc", "/run/user", "/boot/efi", "/dev")
NO_SPACE = re.compile(
    r"No space left on device|ENOSPC|StorageFull|(?<!curl)code: 28\b|\[Errno 28\]|\bos error 28\b|disk (?:is )?full"
    r"|not enough (?:free )?(?:disk )?space|out of disk space",
    re.I,
)
NO_DISK = re.compile(
    r"inotify|fsnotify|\bwatch(?:er|es)?\b|/sys/fs/cgroup|mounting .{0,12}(?:/dev/shm|shm\b)|cgroup\.procs|semaphore"
    r"|sem(?:get|op|_open)\b|\bbpf\b",
    re.I,
)
POOL = "thin pool"
FILE = ("loop", "vd")  # how the device of a file is called, and that of a virtual machine, which often is one


def real(incident: Incident, row: DiskUsage) -> bool:
    """True for a volume that somebody could want to write to."""
    point = row.subject.mount or ""
    if any(is_below(point, folder) for folder in NEVER) or point.endswith("/dev/shm") or not row.size:
        return False
    mount = incident.volumes.mount_at(point, row)
    return mount is None or mount.type not in IMAGES


def is_full(row: DiskUsage) -> bool:
    """True where nothing can be written, or hardly anything."""
    room = row.available is not None and row.size is not None and row.available > ROOM * row.size
    return row.available == 0 or ((row.used_percent or 0.0) >= FULL_PERCENT and not room)


def files_without_room(incident: Incident) -> list[BlockDeviceTrouble | BlockIoError]:
    """What could not be written to such devices while a volume that their files may lie on is full.

    A read needs no room: where one failed it was for something else.
    """
    reports: list[BlockDeviceTrouble | BlockIoError] = [
        *disk_reports(incident, BlockDeviceTrouble),
        *disk_reports(incident, BlockIoError),
    ]
    of_files = [each for each in reports if (each.subject.device or "").rpartition("/")[2].startswith(FILE)]
    written = [
        each for each in of_files if not isinstance(each, BlockIoError) or (each.operation or "write") == "write"
    ]
    return [each for each in written if each.severity is not Severity.INFO] if _full_hosts(incident) else []


def _full_hosts(incident: Incident) -> list[DiskUsage]:
    """The full volumes that are no such file themselves."""
    rows = [row for row in incident.of(DiskUsage) if not row.inodes and real(incident, row) and is_full(row)]
    return [row for row in rows if not (row.subject.device or "").rpartition("/")[2].startswith(FILE)]
