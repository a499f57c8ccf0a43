"""df shows a volume without free space (no bytes available, or 99 % and more in use).

Shared memory is another symptom; read-only images (squashfs, iso) are always full and do not count. ABSENT where df
was read, shows the disks, and none is full; df shows the moment it was run, so a file that was removed since may
have filled the volume before. From 90 to 99 % df says neither: blocks are reserved for root, and of a volume that is
spread over many servers or pools one is full before the sum is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..evidence import Subject
from ..evidence.storage import DiskUsage
from ..incident import Incident
from ._space import ROOMY_PERCENT, is_full, real
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    """Each full volume; else the volumes that have room."""
    rows = [row for row in incident.of(DiskUsage) if not row.inodes and real(incident, row)]
    full = [row for row in rows if is_full(row)]
    for row in full:
        note = f"{row.subject.mount} is full ({row.used_percent or 100:.0f} % used)"
        if room := _room_later(rows, row):
            later = f"further down it has room ({room.used_percent:.0f} % used)"
            yield Finding(row.subject, (row, room), f"{note}; {later}")
        else:
            yield Finding(row.subject, (row,), note)
    if not full:
        for row in (row for row in rows if (row.used_percent or 0.0) < ROOMY_PERCENT):
            subject = Subject(mount=row.subject.mount, device=row.subject.device)
            yield Finding(subject, (row,), f"{row.subject.mount} has room", present=False)


def _room_later(rows: Sequence[DiskUsage], full: DiskUsage) -> DiskUsage | None:
    """The last look at a volume in one file, where it was full before and has room by now."""
    same = [row for row in rows if row.subject.mount == full.subject.mount and row.source.file == full.source.file]
    last = max(same, key=lambda row: row.source.line)
    roomy = last.used_percent is not None and last.used_percent < ROOMY_PERCENT
    return last if roomy and last.source.line > full.source.line else None


SYMPTOM = Symptom(
    title="a volume has no free space",
    rule=rule,
    leak=0.006,
    because="what is always full (images, firmware) is left out, and one of two hundred machines has a full volume to "
    "which nobody writes",
    tells_apart=("mount",),
    command="df -h; df -i",
)
