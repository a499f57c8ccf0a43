"""A GPU's driver cannot take its queues of work back, or cannot start them again after a reset.

What amdgpu and its compute part (kfd) say of a preemption that timed out, of queues that could not be evicted, unmapped
or restored and of rings that fail their test; xe or i915 of a device that is given up ("wedged") or of an engine whose
reset failed. A ring that timed out and was reset is none of these: any program that does not end does that.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.kernel import GpuDriverMessage
from ..incident import Incident
from ._reports import findings, is_over
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    said = [message for message in incident.of(GpuDriverMessage) if message.about == "queues"]
    yield from findings(incident, [(each, each.text) for each in said if not is_over(incident, each, passes=False)])


SYMPTOM = Symptom(
    title="the driver cannot take the GPU's queues back",
    rule=rule,
    leak=0.0003,
    because="a sound device gives up its queues within milliseconds, whatever a program does on them",
    tells_apart=("host", "pci"),
    command="sudo dmesg -T | grep -E 'amdgpu|kfd|i915|xe '; rocm-smi",
)
