"""A device answers its driver, and some of its readings are refused.

A row of nvidia-smi in which the power, the fan or another cell is ERR! while the temperature, the clock or the load is
given: the device is on its bus, and the part of it that was asked did not answer. A row without any reading is a device
that gives no handle (see gpu_handle_lost).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.gpu import GpuStatus
from ..incident import Incident
from ._gpus import OFF_THE_BUS, sensors_answer
from ._reports import gpu_subject
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for status in incident.of(GpuStatus):
        if status.unreadable and sensors_answer(status) and not OFF_THE_BUS.search(status.unreadable):
            note = f"nvidia-smi shows {status.unreadable} beside readings that it was given"
            yield Finding(gpu_subject(incident, status.subject), (status,), note)


SYMPTOM = Symptom(
    title="a device refuses some of its readings",
    rule=rule,
    leak=0.006,
    because="cards with a dead sensor work on for years",
    tells_apart=("host", "pci"),
    command="nvidia-smi -q -d TEMPERATURE,POWER,CLOCK; sudo dmesg -T | grep -E 'NVRM|Xid'",
)
