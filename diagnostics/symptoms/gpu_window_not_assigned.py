"""The machine's firmware gave a GPU no room among its addresses, so that the driver cannot reach the card's memory.

NVIDIA's driver says that a region (BAR) that was assigned to the card is invalid, or that it is 0M at 0x0.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.kernel import GpuDriverMessage
from ..incident import Incident
from ._reports import findings, gpu_subject
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    said = [message for message in incident.of(GpuDriverMessage) if message.about == "no-window"]
    facts = [(each, each.text) for each in said]
    yield from findings(incident, facts, lambda fact: gpu_subject(incident, fact.subject))


SYMPTOM = Symptom(
    title="the firmware gave a GPU no addresses",
    rule=rule,
    leak=0.0001,
    because="firmware assigns each device its regions before any driver runs, and a card that answers asks for them",
    tells_apart=("host", "pci"),
    command="sudo dmesg -T | grep -E 'NVRM|BAR'; sudo lspci -vv -d 10de: | grep Region",
)
