"""What lies below a volume has no space left, whatever room the volume's filesystem shows.

A thin pool promises its volumes more than it holds, and df asks the filesystem, which knows nothing of the pool. A file
that serves as a disk (a loop device) is written to where a volume of the host is full.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.kernel import BlockDeviceTrouble, BlockIoError, FilesystemError
from ..evidence.storage import DiskUsage
from ..incident import Incident
from . import Finding, Symptom
from .disk_usage_full import is_full

POOL = "thin pool"
FILE = "loop"  # how the device of a file is called


def rule(incident: Incident) -> Iterator[Finding]:
    """Each word of the kernel on such a pool, and each failed write to such a file."""
    for error in incident.of(FilesystemError):
        if error.filesystem == POOL and error.about == "no-space":
            yield Finding(error.subject, (error,), error.text[:160])
    for fact in files_without_room(incident):
        row = next(each for each in incident.of(DiskUsage) if _is_full_host(each))
        note = f"writes to a file that serves as a disk fail, and {row.subject.mount or 'a volume of the host'} is full"
        yield Finding(row.subject, (fact, row), note)


def files_without_room(incident: Incident) -> list[BlockDeviceTrouble | BlockIoError]:
    """What the kernel reports of loop devices while a volume that their files may lie on is full."""
    reports: list[BlockDeviceTrouble | BlockIoError] = [*incident.of(BlockDeviceTrouble), *incident.of(BlockIoError)]
    of_files = [each for each in reports if (each.subject.device or "").rpartition("/")[2].startswith(FILE)]
    return of_files if any(map(_is_full_host, incident.of(DiskUsage))) else []


def _is_full_host(row: DiskUsage) -> bool:
    device = (row.subject.device or "").rpartition("/")[2]
    return not row.inodes and device != "tmpfs" and not device.startswith(FILE) and is_full(row)


SYMPTOM = Symptom(
    title="what lies below the volume is out of space",
    rule=rule,
    leak=0.0002,
    because="a pool counts its own blocks, and a host its own",
    command="sudo lvs -a; losetup -a; df -h; sudo dmesg -T | grep -E 'device-mapper|loop'",
)
