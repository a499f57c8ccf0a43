"""The kernel itself switched a filesystem to read-only or shut it down: its log says so, or the mount's options
show it.

ext4 goes on saying `rw` in /proc/mounts and adds `emergency_ro`. ABSENT where the kernel log was read and no
filesystem was switched.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import RemountedReadOnly
from ..incident import Incident
from ._disks import disk_reports
from ._places import disk, same_device
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    """Each filesystem that was switched; else the kernel logs without such a word."""
    found = False
    for turned in disk_reports(incident, RemountedReadOnly):
        found = True
        device = turned.subject.device
        point = next((m.subject.mount for m in incident.volumes.mounts(turned) if same_device(m.device, device)), None)
        subject = Subject(device=disk(device), mount=point, host=turned.subject.host)
        yield Finding(subject, (turned,), f"the kernel switched {device} to read-only")
    for mount in incident.volumes.all_mounts:
        if "emergency_ro" in mount.options:
            found = True
            yield Finding(
                Subject(mount=mount.subject.mount, device=disk(mount.device)),
                (mount,),
                f"{mount.subject.mount} is in emergency read-only mode",
            )
    logs = incident.reads("kernel-log")
    if logs and not found:
        yield Finding(Subject(), tuple(logs), "the kernel switched no filesystem to read-only", present=False)


SYMPTOM = Symptom(
    title="the kernel switched a filesystem to read-only",
    rule=rule,
    leak=0.0003,
    because="the kernel does so only after an error of the filesystem or of what is below it",
    tells_apart=("device",),
    command="dmesg -T | grep -i -E 'remount|read-only|shutdown'; grep emergency_ro /proc/mounts",
)
