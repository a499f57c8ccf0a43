"""/dev/shm was caught full by df, whatever its size.

Never ABSENT: it looks empty again after the crash.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.storage import DiskUsage
from ..incident import Incident
from . import Finding, Symptom
from .disk_usage_full import is_full


def rule(incident: Incident) -> Iterator[Finding]:
    for row in incident.of(DiskUsage):
        if row.subject.mount == "/dev/shm" and not row.inodes and row.size and is_full(row):
            yield Finding(row.subject, (row,), f"/dev/shm has {row.size / 2**20:.0f} MiB and all of it is used")


SYMPTOM = Symptom(
    title="/dev/shm is full",
    rule=rule,
    leak=0.002,
    because="what is mapped there is removed by who made it, so a full one is seen only while something leaks or does not fit",
    command="df -h /dev/shm; ls -la /dev/shm | head",
)
