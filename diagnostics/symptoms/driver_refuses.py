"""The driver refuses to open a device or to make a context.

nvidia-smi finds no device or cannot initialise, RmInitAdapter failed, or CUDA says that the devices are busy,
unavailable, not initialised or not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from . import Finding, Symptom
from ._reports import gpu_reports

WORDS = re.compile(
    r"RmInitAdapter failed|No devices were found|couldn't communicate with the NVIDIA driver|CUDA driver initialization failed"
    r"|devices?\(?s?\)? (?:is|are)(?:/are)? busy or unavailable|no CUDA-capable device|system not yet initialized"
    r"|CUDA_ERROR_(?:NOT_INITIALIZED|NO_DEVICE|DEVICE_UNAVAILABLE|SYSTEM_NOT_READY)|No CUDA GPUs are available"
    r"|CUDA unknown error - this may be due to an incorrectly set up environment",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    yield from gpu_reports(incident, driver=("init-failed",), tool=("no-device", "init-failed"), words=WORDS)


SYMPTOM = Symptom(
    title="the driver refuses to open a device",
    rule=rule,
    leak=0.004,
    because="a container started without its devices is the innocent reason",
    tells_apart=("host", "pci"),
    command='nvidia-smi; python -c "import torch; torch.zeros(1).cuda()"; sudo dmesg -T | grep NVRM',
)
