"""/dev/shm was caught full by df, whatever its size; a small one when nine tenths are used.

Never ABSENT: it looks empty again after the crash.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.storage import DiskUsage
from ..incident import Incident
from ._shared_memory import SMALL
from ._space import is_full
from ._symptom import Finding, Symptom

NEARLY_PERCENT = 90.0


def rule(incident: Incident) -> Iterator[Finding]:
    for row in incident.of(DiskUsage):
        if row.subject.mount == "/dev/shm" and not row.inodes and row.size and (is_full(row) or _hardly_any_left(row)):
            yield Finding(
                row.subject,
                (row,),
                f"/dev/shm has {row.size / 2**20:.0f} MiB and {row.used_percent or 100:.0f} % are used",
            )


def _hardly_any_left(row: DiskUsage) -> bool:
    """True for a small one without room for another segment."""
    return (row.size or 0) <= SMALL and (row.used_percent or 0.0) >= NEARLY_PERCENT


SYMPTOM = Symptom(
    title="/dev/shm is full",
    rule=rule,
    leak=0.002,
    because="what is mapped there is removed by who made it, so a full one is seen only while something leaks or "
    "does not fit",
    command="df -h /dev/shm; ls -la /dev/shm | head",
)
