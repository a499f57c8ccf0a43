"""The kernel driver could not bring a device up, or CUDA says that a device is busy although nobody uses it.

RmInitAdapter failed, or "busy or unavailable". A system that is not ready yet is another symptom (see fabric_not_up).
ABSENT where a kernel log long enough to speak is silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from ._reports import gpu_reports
from ._symptom import Finding, Symptom

WORDS = re.compile(
    r"RmInitAdapter failed|devices?\(?s?\)? (?:is|are)(?:/are)? busy or unavailable"
    r"|CUDA_ERROR_DEVICE_UNAVAILABLE|cudaErrorDevicesUnavailable",
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
