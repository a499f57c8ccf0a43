"""A local filesystem could not add a name to a directory: its index is as deep as it may be.

The caller is told that there is no space, though df and df -i show plenty.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import FilesystemError
from ..incident import Incident
from ._disks import disk_reports
from ._places import disk, same_device
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for error in disk_reports(incident, FilesystemError):
        if error.about == "directory-full":
            device = error.subject.device
            point = next(
                (m.subject.mount for m in incident.volumes.mounts(error) if same_device(m.device, device)), None
            )
            yield Finding(
                Subject(mount=point, device=disk(device), host=error.subject.host), (error,), error.text[:160]
            )


SYMPTOM = Symptom(
    title="a directory takes no more names",
    rule=rule,
    leak=0.00002,
    because="it takes some ten million names in one directory",
    command="dmesg -T | grep -i 'index full'; tune2fs -l /dev/DEVICE | grep -i features",
)
