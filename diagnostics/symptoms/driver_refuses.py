"""A tool or CUDA finds no device.

nvidia-smi finds none or cannot talk to the driver, or CUDA says that there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from ._reports import gpu_reports
from ._symptom import Finding, Symptom

WORDS = re.compile(
    r"No devices were found|couldn't communicate with the NVIDIA driver|CUDA driver initialization failed"
    "|no CUDA-capable device|CUDA_ERROR_(?:NOT_INITIALIZED|NO_DEVICE)|No CUDA GPUs are available"
    r"|libcuda\.so[.\d]{0,12}: cannot open shared object"
    r"|CUDA unknown error - this may be due to an incorrectly set up environment",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    yield from gpu_reports(incident, tool=("no-device", "init-failed"), words=WORDS)


SYMPTOM = Symptom(
    title="tools and CUDA find no device",
    rule=rule,
    leak=0.004,
    because="a container started without its devices is the innocent reason",
    tells_apart=("host", "pci"),
    command='nvidia-smi; python -c "import torch; torch.zeros(1).cuda()"; sudo dmesg -T | grep NVRM',
)
