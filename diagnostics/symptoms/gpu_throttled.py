"""A GPU's clocks are held down by heat or power.

An active hardware slowdown, thermal slowdown or power brake, or a GPU at 88 degrees and more. A software power cap
is how every loaded GPU of a capped fleet looks and is no part of this. ABSENT where the reasons were read and none of
these is active.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.gpu import GpuStatus, GpuThrottle
from ..evidence.kernel import ThermalOrPowerMessage
from ..incident import Incident
from . import Finding, Symptom
from ._reports import gpu_subject

REASONS = ("hw slowdown", "thermal slowdown", "power brake")
HOT_C = 88  # data-centre GPUs start to slow down at 85 to 90


def rule(incident: Incident) -> Iterator[Finding]:
    for fact in incident.of(GpuThrottle):
        if any(reason in fact.reason.lower() for reason in REASONS):
            yield Finding(gpu_subject(incident, fact.subject), (fact,), f"{fact.reason} is active")
    for status in incident.of(GpuStatus):
        if status.temperature_c is not None and status.temperature_c >= HOT_C:
            yield Finding(gpu_subject(incident, status.subject), (status,), f"{status.temperature_c:.0f} °C")
    for message in incident.of(ThermalOrPowerMessage):
        if message.about in ("thermal", "power"):
            yield Finding(message.subject, (message,), message.text)


SYMPTOM = Symptom(
    title="heat or power holds clocks down",
    rule=rule,
    leak=0.01,
    because="brief thermal messages are common on loaded machines that run well",
    tells_apart=("host", "pci"),
    command="nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER",
)
