"""The NVIDIA kernel module and the user-space library are of different versions.

"Driver/library version mismatch", NVRM's "API mismatch", or CUDA's complaint about the driver's version or about code
made for a newer one, a driver's library that is an empty file (it was not there when the container was made); or the
module that is loaded is none of the versions that are installed, or not the version of the fabric manager. ABSENT
where the driver and the fabric manager are of one version.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.gpu import NvidiaDriverVersion
from ..incident import Incident
from ._reports import gpu_reports
from ._symptom import Finding, Symptom

WORDS = re.compile(
    "Driver/library version mismatch|API mismatch|forward compatibility was attempted"
    "|NVIDIA driver on your system is too old|driver version is insufficient|system has unsupported display driver"
    "|cudaErrorSystemDriverMismatch|NVML library version|cudaErrorInsufficientDriver|does not match DSO version"
    r"|NVML/RM version mismatch|unsatisfied condition: (?:cuda|driver|brand)\S{0,20}[<>=]"
    "|compiled with an unsupported toolchain|CUDA_ERROR_UNSUPPORTED_PTX_VERSION|cudaErrorUnsupportedPtxVersion"
    r"|libcuda\.so[.\d]{0,12}: file too short",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    yield from gpu_reports(incident, driver=("version-mismatch",), tool=("version-mismatch",), words=WORDS)
    versions = incident.of(NvidiaDriverVersion)
    loaded = [each for each in versions if each.part == "loaded"]
    fabric = [each for each in versions if each.part == "fabric-manager"]
    installed = [each for each in versions if each.part in ("module", "library")]
    if loaded and installed and not {each.version for each in loaded} & {each.version for each in installed}:
        note = f"{loaded[0].version} is loaded, {installed[0].version} is installed"
        yield Finding(Subject(), (loaded[0], installed[0]), note)
    drivers = loaded or installed
    if drivers and fabric and not {each.version for each in drivers} & {each.version for each in fabric}:
        note = f"the driver is {drivers[0].version}, the fabric manager {fabric[0].version}"
        yield Finding(Subject(), (drivers[0], fabric[0]), note)
    elif drivers and fabric:
        note = f"driver and fabric manager are both {fabric[0].version}"
        yield Finding(Subject(), (drivers[0], fabric[0]), note, present=False)


SYMPTOM = Symptom(
    title="the driver's kernel module and its library are of different versions",
    rule=rule,
    leak=0.0005,
    because="the two compare their version strings; there is no other way to get this message",
    tells_apart=("host",),
    command="cat /proc/driver/nvidia/version; nvidia-smi; dpkg -l | grep -i nvidia",
)
