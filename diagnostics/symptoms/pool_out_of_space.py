"""What lies below a volume has no space left, whatever room the volume's filesystem shows.

A thin pool promises its volumes more than it holds, and df asks the filesystem, which knows nothing of the pool. A file
that serves as a disk (a loop device, or a virtual machine's) is written to where a volume of the host is full.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.kernel import FilesystemError
from ..incident import Incident
from ._disks import disk_reports
from ._space import POOL, _full_hosts, files_without_room
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    """Each word of the kernel on such a pool, and each failed write to such a file."""
    for error in disk_reports(incident, FilesystemError):
        if error.filesystem == POOL and error.about == "no-space":
            yield Finding(error.subject, (error,), error.text[:160])
    for fact in files_without_room(incident):
        row = _full_hosts(incident)[0]
        note = f"writes to a file that serves as a disk fail, and {row.subject.mount or 'a volume of the host'} is full"
        yield Finding(row.subject, (fact, row), note)


SYMPTOM = Symptom(
    title="what lies below the volume is out of space",
    rule=rule,
    leak=0.0002,
    because="a pool counts its own blocks, and a host its own",
    command="sudo lvs -a; losetup -a; df -h; sudo dmesg -T | grep -E 'device-mapper|loop'",
)
