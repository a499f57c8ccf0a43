"""The kernel driver could not bring a device up, or CUDA says that a device is busy although nobody uses it.

RmInitAdapter failed, "busy or unavailable", "system not yet initialized", a GPU that has not joined its NVLink fabric.
ABSENT where a kernel log long enough to speak is silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from . import Finding, Symptom
from ._reports import gpu_reports

WORDS = re.compile(
    r"RmInitAdapter failed|devices?\(?s?\)? (?:is|are)(?:/are)? busy or unavailable|system not yet initialized"
    r"|CUDA_ERROR_(?:DEVICE_UNAVAILABLE|SYSTEM_NOT_READY)|cudaErrorDevicesUnavailable"
    r"|^Fabric State: (?:In Progress|Not Started), Status:",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    yield from gpu_reports(incident, driver=("init-failed",), words=WORDS)


SYMPTOM = Symptom(
    title="the driver could not bring a device up",
    rule=rule,
    leak=0.001,
    because="a sound device comes up at every start",
    tells_apart=("host", "pci"),
    command="sudo dmesg -T | grep -E 'NVRM'; nvidia-smi",
)
