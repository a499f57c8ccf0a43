"""Somebody was told that a filesystem is read-only (EROFS), or the volume that the job writes to is mounted so; or a
machine's own root is, or another of its disks, although it is mounted to be written: with errors=remount-ro, which
nobody gives to a filesystem that is read-only anyway.

A container shows single files and folders of its host read-only beside a root of its own: they tell nothing, nor does
a disk that is mounted for writing elsewhere, or an image.

That the kernel switched one to read-only by itself is another symptom, and so is the loss of the server of its disk,
after which every filesystem on that disk answers so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.storage import Mount
from ..evidence.training import CheckpointEvent
from ..incident import Incident
from ._errors import matching
from ._places import lost_sessions, place, place_of_error
from ._symptom import Finding, Symptom

AFTER_ERROR = "errors=remount-ro"
IMAGES = ("/dev/loop", "/dev/sr", "/dev/fd")
READ_ONLY = re.compile(
    r"read-only file ?system|EROFS|ReadOnlyFilesystem|code: 30\b|\[Errno 30\]|\bos error 30\b|remounted read-only", re.I
)


def rule(incident: Incident) -> Iterator[Finding]:
    """Errors, and mounts that the job writes to."""
    for said in () if lost_sessions(incident) else matching(incident, READ_ONLY, "EROFS", orchestrator=True):
        yield Finding(place_of_error(incident, said.fact, said.path), (said.fact,), said.text.splitlines()[0][:160])
    for event in incident.of(CheckpointEvent):
        mount = incident.volumes.mount_of(event.subject.path, event)
        if mount and event.event in ("saving", "saved", "copied") and mount.read_only:
            yield Finding(
                place(incident, event.subject.path, event),
                (mount, event),
                f"{mount.subject.mount} is read-only and the job writes there",
            )
    for mount in turned(incident):
        note = f"{mount.subject.mount} is read-only although it is to be so only after an error"
        yield Finding(place(incident, mount.subject.mount, mount), (mount,), note)


def turned(incident: Incident) -> Iterator[Mount]:
    """A machine's filesystems on its own disks that were to become read-only only after an error, and are."""
    for file in dict.fromkeys(mount.source.file for mount in incident.of(Mount)):
        # of several looks, the last counts
        seen = {(m.device, m.subject.mount): m for m in incident.of(Mount) if m.source.file == file}
        listed = list(seen.values())
        written = {mount.device for mount in listed if not mount.read_only}
        root = next((mount for mount in listed if mount.subject.mount == "/"), None)
        if root is None or not root.device.startswith("/dev/") or root.device.startswith(IMAGES):
            continue  # a container's, or not known
        for mount in listed:
            own = mount.device.startswith("/dev/") and not mount.device.startswith(IMAGES)
            if own and mount.read_only and AFTER_ERROR in mount.options and mount.device not in written:
                yield mount


SYMPTOM = Symptom(
    title="a filesystem that the job writes to is read-only",
    rule=rule,
    leak=0.0005,
    because="nobody mounts the volume of a training run read-only on purpose",
    tells_apart=("mount",),
    command="grep -E ' (ro|[^ ]*emergency_ro)[, ]' /proc/mounts; dmesg | grep -i read-only",
)
