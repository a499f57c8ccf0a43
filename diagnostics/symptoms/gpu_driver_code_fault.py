"""The kernel stopped itself in the code of a GPU's driver: an oops, a BUG or a failed pointer in the driver's module.

By the module that the innermost function of the trace belongs to, or by the driver's own names where none is printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import KernelFault
from ..incident import Incident
from ._symptom import Finding, Symptom

MODULE = re.compile(r"^(?:nvidia(?:_\w{1,20})?|amdgpu|amdkfd|i915|xe|habanalabs)$")
# the modules that are built into no kernel have names of their own
NAMES = re.compile(r"^(?:_?nv\d{5,}rm|nvidia_|uvm_|nvkms_?|amdgpu_|kfd_)")


def rule(incident: Incident) -> Iterator[Finding]:
    for fault in incident.of(KernelFault):
        if is_of_gpu_driver(fault):
            where = " ".join(each for each in (fault.text[:120], fault.function, fault.module) if each)
            yield Finding(Subject(host=fault.subject.host), (fault,), where)


def is_of_gpu_driver(fault: KernelFault) -> bool:
    """True where the kernel stopped itself in a GPU driver's code."""
    ours = MODULE.match(fault.module) if fault.module else NAMES.match(fault.function or "")
    return fault.about in ("bug", "oops", "panic") and ours is not None


SYMPTOM = Symptom(
    title="the kernel failed in the code of the GPU's driver",
    rule=rule,
    leak=0.0002,
    because="a driver follows a pointer that leads nowhere where its own code is wrong",
    tells_apart=("host",),
    command="sudo dmesg -T | grep -A 30 -E 'BUG:|Oops|RIP'; modinfo -F version nvidia",
)
