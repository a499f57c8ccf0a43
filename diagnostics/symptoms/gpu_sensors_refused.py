"""A device answers its driver, and some of its readings are refused.

A row of nvidia-smi in which the power, the fan or another cell is ERR! while the temperature, the clock or the load is
given: the device is on its bus, and the part of it that was asked did not answer. A row without any reading is a device
that gives no handle (see gpu_handle_lost).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.gpu import GpuStatus
from ..incident import Incident
from ._reports import gpu_subject
from ._symptom import Finding, Symptom
from .gpu_off_bus_report import WORDS as GONE


def rule(incident: Incident) -> Iterator[Finding]:
    for status in incident.of(GpuStatus):
        if status.unreadable and answers(status) and not GONE.search(status.unreadable):
            note = f"nvidia-smi shows {status.unreadable} beside readings that it was given"
            yield Finding(gpu_subject(incident, status.subject), (status,), note)


def answers(status: GpuStatus) -> bool:
    """True when something was read off the device itself; what memory is in use the driver knows without asking it."""
    read_off = (status.temperature_c, status.utilisation_percent, status.power_w, status.sm_clock_mhz)
    return any(value is not None for value in read_off)


SYMPTOM = Symptom(
    title="a device refuses some of its readings",
    rule=rule,
    leak=0.006,
    because="cards with a dead sensor work on for years",
    tells_apart=("host", "pci"),
    command="nvidia-smi -q -d TEMPERATURE,POWER,CLOCK; sudo dmesg -T | grep -E 'NVRM|Xid'",
)
