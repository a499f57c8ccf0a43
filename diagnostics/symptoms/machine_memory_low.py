"""The machine has hardly any memory left: less than 3 % of it available, or less than 5 % and 2 GiB.

ABSENT where a fifth or more is available.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.storage import MemoryInfo
from ..incident import Incident
from ._memory import is_low, is_plenty
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    """What was available each time that somebody looked."""
    for info in incident.of(MemoryInfo):
        if is_low(info) and info.used_percent is not None:
            yield Finding(Subject(host=info.subject.host), (info,), f"{info.used_percent:.0f} % of the memory is used")
        total, available = info.values_kib.get("MemTotal"), info.values_kib.get("MemAvailable")
        if not total or available is None:
            continue
        note = f"{available / 2**20:.1f} of {total / 2**20:.0f} GiB are available"
        if is_low(info):
            yield Finding(Subject(host=info.subject.host), (info,), note)
        elif is_plenty(info):
            yield Finding(Subject(host=info.subject.host), (info,), note, present=False)


SYMPTOM = Symptom(
    title="the machine has hardly any memory left",
    rule=rule,
    leak=0.01,
    because="page cache counts as available, so a machine at work has plenty",
    tells_apart=("host",),
    command="free -h; cat /proc/meminfo",
)
