"""The driver, or a tool, says that a GPU is gone from its bus.

Xid 79, "fallen off the bus", "GPU is lost", or a device whose revision reads as ones (lspci's "rev ff"). ABSENT where a
kernel log long enough to speak was read and says nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.gpu import GpuStatus
from ..incident import Incident
from ._gpus import OFF_THE_BUS
from ._reports import gpu_reports, gpu_subject
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for status in incident.of(GpuStatus):
        if status.unreadable and OFF_THE_BUS.search(status.unreadable):
            yield Finding(gpu_subject(incident, status.subject), (status,), f"nvidia-smi shows {status.unreadable}")
    yield from gpu_reports(incident, codes=(79,), driver=("off-bus",), words=OFF_THE_BUS)


SYMPTOM = Symptom(
    title="a GPU is reported gone from its bus",
    rule=rule,
    leak=0.0005,
    because="the driver says so only when reads of the device return nothing but ones",
    tells_apart=("host", "pci"),
    command="sudo dmesg -T | grep -iE 'NVRM|Xid'; nvidia-smi",
)
