"""The kernel stopped itself in the code of a GPU's driver: an oops, a BUG or a failed pointer in the driver's module.

By the module that the innermost function of the trace belongs to, or by the driver's own names where none is printed.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import KernelFault
from ..incident import Incident
from ._gpu_driver import is_of_gpu_driver
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for fault in incident.of(KernelFault):
        if is_of_gpu_driver(fault):
            where = " ".join(each for each in (fault.text[:120], fault.function, fault.module) if each)
            yield Finding(Subject(host=fault.subject.host), (fault,), where)


SYMPTOM = Symptom(
    title="the kernel failed in the code of the GPU's driver",
    rule=rule,
    leak=0.0002,
    because="a driver follows a pointer that leads nowhere where its own code is wrong",
    tells_apart=("host",),
    command="sudo dmesg -T | grep -A 30 -E 'BUG:|Oops|RIP'; modinfo -F version nvidia",
)
