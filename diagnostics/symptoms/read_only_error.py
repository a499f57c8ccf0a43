"""Somebody was told that a filesystem is read-only (EROFS), or the volume that the job writes to is mounted so.

That the kernel switched one to read-only by itself is another symptom, and so is the loss of the server of its disk, after
which every filesystem on that disk answers so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.job import CheckpointEvent
from ..incident import Incident
from . import Finding, Symptom
from ._errors import matching
from ._places import lost_sessions, place, place_of_error

READ_ONLY = re.compile(
    r"read-only file ?system|EROFS|ReadOnlyFilesystem|code: 30\b|\[Errno 30\]|remounted read-only", re.I
)


def rule(incident: Incident) -> Iterator[Finding]:
    """Errors, and mounts that the job writes to."""
    for said in () if lost_sessions(incident) else matching(incident, READ_ONLY, "EROFS", orchestrator=True):
        yield Finding(place_of_error(incident, said.fact, said.path), (said.fact,), said.text.splitlines()[0][:160])
    for event in incident.of(CheckpointEvent):
        mount = incident.links.mount_of(event.subject.path)
        if mount and event.event in ("saving", "saved", "copied") and mount.read_only:
            yield Finding(
                place(incident, event.subject.path),
                (mount, event),
                f"{mount.subject.mount} is read-only and the job writes there",
            )


SYMPTOM = Symptom(
    title="a filesystem that the job writes to is read-only",
    rule=rule,
    leak=0.0005,
    because="nobody mounts the volume of a training run read-only on purpose",
    tells_apart=("mount",),
    command="grep -E ' (ro|[^ ]*emergency_ro)[, ]' /proc/mounts; dmesg | grep -i read-only",
)
