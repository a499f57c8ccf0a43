"""The kernel itself holds half or more of the machine's memory in slabs that it cannot take back.

By /proc/meminfo: SUnreclaim. Caches of files and inodes are reclaimable and do not count. ABSENT where they are a
tenth or less.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.storage import MemoryInfo
from ..incident import Incident
from ._symptom import Finding, Symptom

MOST, LITTLE = 0.5, 0.1


def rule(incident: Incident) -> Iterator[Finding]:
    for info in incident.of(MemoryInfo):
        total, kept = info.values_kib.get("MemTotal"), info.values_kib.get("SUnreclaim")
        if not total or kept is None:
            continue
        note = f"the kernel keeps {kept / 2**20:.1f} of {total / 2**20:.0f} GiB"
        if kept >= MOST * total:
            yield Finding(Subject(host=info.subject.host), (info,), note)
        elif kept <= LITTLE * total:
            yield Finding(Subject(host=info.subject.host), (info,), note, present=False)


SYMPTOM = Symptom(
    title="the kernel keeps half of the machine's memory",
    rule=rule,
    leak=0.0002,
    because="a kernel at work keeps a few percent; no load of a job takes half",
    tells_apart=("host",),
    command="grep -E 'MemTotal|Slab|SUnreclaim' /proc/meminfo; sudo slabtop -o -s c | head -n 15",
)
