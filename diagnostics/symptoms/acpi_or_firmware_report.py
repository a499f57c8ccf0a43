"""The platform's firmware complains: ACPI errors, a failed power supply, a management controller, a shutdown order.

ABSENT where a kernel log long enough to speak is silent.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.kernel import ThermalOrPowerMessage
from ..incident import Incident
from ._reports import findings, kernel_log, nothing
from ._symptom import Finding, Symptom

TOPICS = ("acpi", "firmware", "power", "shutdown")


def rule(incident: Incident) -> Iterator[Finding]:
    facts = [(fact, fact.text) for fact in incident.of(ThermalOrPowerMessage) if fact.about in TOPICS]
    yield from findings(incident, facts)
    if not facts:
        yield from nothing(kernel_log(incident), "the kernel log was read and the firmware does not complain")


SYMPTOM = Symptom(
    title="the platform's firmware or power supply complains",
    rule=rule,
    leak=0.02,
    because="many firmwares print harmless ACPI errors at every boot",
    tells_apart=("host",),
    command="sudo dmesg -T | grep -iE 'ACPI|BIOS|firmware'; sudo ipmitool sel elist | tail",
)
