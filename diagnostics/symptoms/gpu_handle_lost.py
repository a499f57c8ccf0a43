"""A tool gets no handle to a device that the driver lists.

"Unable to determine the device handle ... Unknown Error", or a row of nvidia-smi full of ERR!. A row in which some
readings are given is none of these (see gpu_sensors_refused).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.gpu import GpuStatus, GpuToolError
from ..incident import Incident
from ._gpus import OFF_THE_BUS, sensors_answer
from ._reports import gpu_subject
from ._symptom import Finding, Symptom

NO_HANDLE = re.compile(r"Unable to determine the device handle", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    for error in incident.of(GpuToolError):
        if NO_HANDLE.search(error.text) and not OFF_THE_BUS.search(error.text):
            yield Finding(gpu_subject(incident, error.subject), (error,), error.text[:200])
    for status in incident.of(GpuStatus):
        if status.unreadable and not (sensors_answer(status) or OFF_THE_BUS.search(status.unreadable)):
            yield Finding(gpu_subject(incident, status.subject), (status,), f"nvidia-smi shows {status.unreadable}")


SYMPTOM = Symptom(
    title="a tool gets no handle to a device",
    rule=rule,
    leak=0.001,
    because="a device that is listed answers its driver",
    tells_apart=("host", "pci"),
    command="nvidia-smi; sudo dmesg -T | grep -E 'NVRM|Xid'",
)
