"""df -i shows a volume without free inodes: no file can be made although there is space.

ABSENT where df -i shows free ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.storage import DiskUsage
from ..incident import Incident
from ._space import is_full, real
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    """Each volume whose inodes are used up; else those that have some."""
    rows = [row for row in incident.of(DiskUsage) if row.inodes and real(incident, row)]
    full = [row for row in rows if is_full(row)]
    for row in full:
        yield Finding(row.subject, (row,), f"{row.subject.mount} has no free inode")
    if not full:
        for row in rows:
            yield Finding(row.subject, (row,), f"{row.subject.mount} has free inodes", present=False)


SYMPTOM = Symptom(
    title="a volume has no free inodes",
    rule=rule,
    leak=0.001,
    because="inodes run out only under millions of small files",
    tells_apart=("mount",),
    command="df -i",
)
