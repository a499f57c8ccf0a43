"""A GPU, or the processor beside it, is too hot.

A GPU at 88 degrees and more, or a thermal message in the kernel log. ABSENT where temperatures were read, none is
high and nothing holds a clock down: power does that to a cool GPU.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.gpu import GpuStatus
from ..evidence.kernel import ThermalOrPowerMessage
from ..incident import Incident
from ._registry import findings_of
from ._reports import gpu_subject
from ._symptom import Finding, Symptom

HOT_C = 88  # data-centre GPUs start to slow down at 85 to 90


def rule(incident: Incident) -> Iterator[Finding]:
    held_down = any(finding.present for finding in findings_of(incident, "gpu-throttled"))
    for status in incident.of(GpuStatus):
        core, memory = status.temperature_c, status.memory_temperature_c
        coolest = core if core is not None else memory  # memory is the hotter one: cool says as much of the core
        if coolest is not None:
            subject = gpu_subject(incident, status.subject)
            hot = core is not None and core >= HOT_C
            if hot or (coolest < HOT_C and not held_down):
                yield Finding(subject, (status,), f"{coolest:.0f} °C", present=hot)
    for message in incident.of(ThermalOrPowerMessage):
        if message.about == "thermal":
            yield Finding(message.subject, (message,), message.text[:200])


SYMPTOM = Symptom(
    title="a GPU or processor is too hot",
    rule=rule,
    leak=0.01,
    because="brief thermal messages are common on loaded machines that run well",
    tells_apart=("host",),
    command="nvidia-smi -q -d TEMPERATURE; sensors",
)
