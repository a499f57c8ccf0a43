"""A container that had its GPUs may no longer open them: NVML answers "Unknown Error" when it is initialised.

NVML says so where the device files are there and the kernel refuses to open them. That is a container whose list of
allowed devices was written anew without its GPUs, as systemd does at a reload; a driver that is missing, of another
version or without a device has words of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..incident import Incident
from ._reports import gpu_reports
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    yield from gpu_reports(incident, tool=("access-refused",))


SYMPTOM = Symptom(
    title="a container may no longer open its GPUs",
    rule=rule,
    leak=0.0003,
    because="the runtime allows a container its devices when it makes it, and nothing but a rewrite takes them back",
    tells_apart=("host",),
    command="nvidia-smi -L; cat /sys/fs/cgroup/devices/devices.list | grep 195; journalctl | grep Reloading",
)
