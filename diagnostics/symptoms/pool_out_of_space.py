"""What lies below a volume has no space left, whatever room the volume's filesystem shows.

A thin pool promises its volumes more than it holds, and df asks the filesystem, which knows nothing of the pool. A file
that serves as a disk (a loop device, or a virtual machine's) is written to where a volume of the host is full.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.kernel import BlockDeviceTrouble, BlockIoError, FilesystemError
from ..evidence.storage import DiskUsage
from ..incident import Incident
from ._symptom import Finding, Symptom
from .disk_usage_full import is_full, real

POOL = "thin pool"
FILE = ("loop", "vd")  # how the device of a file is called, and that of a virtual machine, which often is one


def rule(incident: Incident) -> Iterator[Finding]:
    """Each word of the kernel on such a pool, and each failed write to such a file."""
    for error in incident.of(FilesystemError):
        if error.filesystem == POOL and error.about == "no-space":
            yield Finding(error.subject, (error,), error.text[:160])
    for fact in files_without_room(incident):
        row = _full_hosts(incident)[0]
        note = f"writes to a file that serves as a disk fail, and {row.subject.mount or 'a volume of the host'} is full"
        yield Finding(row.subject, (fact, row), note)


def files_without_room(incident: Incident) -> list[BlockDeviceTrouble | BlockIoError]:
    """What could not be written to such devices while a volume that their files may lie on is full.

    A read needs no room: where one failed it was for something else.
    """
    reports: list[BlockDeviceTrouble | BlockIoError] = [*incident.of(BlockDeviceTrouble), *incident.of(BlockIoError)]
    of_files = [each for each in reports if (each.subject.device or "").rpartition("/")[2].startswith(FILE)]
    written = [
        each for each in of_files if not isinstance(each, BlockIoError) or (each.operation or "write") == "write"
    ]
    return [each for each in written if each.severity is not Severity.INFO] if _full_hosts(incident) else []


def _full_hosts(incident: Incident) -> list[DiskUsage]:
    """The full volumes that are no such file themselves."""
    rows = [row for row in incident.of(DiskUsage) if not row.inodes and real(incident, row) and is_full(row)]
    return [row for row in rows if not (row.subject.device or "").rpartition("/")[2].startswith(FILE)]


SYMPTOM = Symptom(
    title="what lies below the volume is out of space",
    rule=rule,
    leak=0.0002,
    because="a pool counts its own blocks, and a host its own",
    command="sudo lvs -a; losetup -a; df -h; sudo dmesg -T | grep -E 'device-mapper|loop'",
)
