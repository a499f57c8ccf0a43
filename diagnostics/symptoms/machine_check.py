"""A corrected machine check that does not say memory: the processor, its caches or its links had to repair something.

ABSENT where a kernel log long enough to speak is silent.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.kernel import MachineCheck
from ..incident import Incident
from ._reports import findings, kernel_log, nothing
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    facts = [(fact, fact.text) for fact in incident.of(MachineCheck) if fact.corrected]
    yield from findings(incident, facts)
    if not facts:
        yield from nothing(kernel_log(incident), "the kernel log was read and reports no machine check")


SYMPTOM = Symptom(
    title="a corrected machine check",
    rule=rule,
    leak=0.004,
    because="corrected machine checks are logged on sound servers a few times a year",
    tells_apart=("host",),
    command="sudo dmesg -T | grep -iE 'mce|Hardware Error'; sudo mcelog --client",
)
