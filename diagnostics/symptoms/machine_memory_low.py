"""The machine has hardly any memory left: less than 3 % of it available.

ABSENT where a fifth or more is available.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.storage import MemoryInfo
from ..incident import Incident
from . import Finding, Symptom

LOW = 0.03
PLENTY = 0.2


def rule(incident: Incident) -> Iterator[Finding]:
    """What was available each time that somebody looked."""
    for info in incident.of(MemoryInfo):
        total, available = info.values_kib.get("MemTotal"), info.values_kib.get("MemAvailable")
        if not total or available is None:
            continue
        share = available / total
        note = f"{available / 2**20:.1f} of {total / 2**20:.0f} GiB are available"
        if share < LOW:
            yield Finding(Subject(host=info.subject.host), (info,), note)
        elif share > PLENTY:
            yield Finding(Subject(host=info.subject.host), (info,), note, present=False)


SYMPTOM = Symptom(
    title="the machine has hardly any memory left",
    rule=rule,
    leak=0.01,
    because="page cache counts as available, so a machine at work has plenty",
    tells_apart=("host",),
    command="free -h; cat /proc/meminfo",
)
