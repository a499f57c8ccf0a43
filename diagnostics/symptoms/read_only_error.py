"""Somebody was told that a filesystem is read-only (EROFS), the kernel turned one read-only, or the volume that the
job writes to is mounted so (also `emergency_ro` among the options, which ext4 shows while it still says rw).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import CheckpointEvent
from ..evidence.kernel import RemountedReadOnly
from ..incident import Incident
from . import Finding, Symptom
from ._errors import matching
from ._places import place_of_error

READ_ONLY = re.compile(r"read-only file ?system|EROFS|\[Errno 30\]|remounted read-only", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    """Errors, the kernel's word, and mounts that the job writes to."""
    for said in matching(incident, READ_ONLY, "EROFS"):
        yield Finding(place_of_error(incident, said.fact, said.path), (said.fact,), said.text.splitlines()[0][:160])
    for turned in incident.of(RemountedReadOnly):
        point = next((m.subject.mount for m in incident.links.mounts if _same(m.device, turned.subject.device)), None)
        yield Finding(
            Subject(device=turned.subject.device, mount=point, host=turned.subject.host),
            (turned,),
            f"the kernel turned {turned.subject.device} read-only",
        )
    for event in incident.of(CheckpointEvent):
        mount = incident.links.mount_of(event.subject.path)
        if mount and event.event in ("saving", "saved", "copied") and {"ro", "emergency_ro"} & set(mount.options):
            yield Finding(mount.subject, (mount, event), f"{mount.subject.mount} is read-only and the job writes there")


def _same(device: str, name: str | None) -> bool:
    return bool(name) and device.rpartition("/")[2] == str(name).rpartition("/")[2]


SYMPTOM = Symptom(
    title="a filesystem that the job writes to is read-only",
    rule=rule,
    leak=0.0005,
    because="nobody mounts the volume of a training run read-only on purpose",
    tells_apart=("mount",),
    command="grep -E ' (ro|[^ ]*emergency_ro)[, ]' /proc/mounts; dmesg | grep -i read-only",
)
