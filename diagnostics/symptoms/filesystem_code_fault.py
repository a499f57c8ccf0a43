"""The kernel stopped itself in the code of a filesystem or of the block layer: a BUG, an oops or a failed pointer
there.

By the source file that the report names, or the innermost function of its trace; Lustre names its own bugs (LBUG).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import KernelFault
from ..incident import Incident
from ._kernel import _inside, is_of_filesystem
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for fault in incident.of(KernelFault):
        if is_of_filesystem(fault):
            where = f"{fault.text[:120]} {_inside(fault) or ''}".strip()
            yield Finding(Subject(host=fault.subject.host), (fault,), where)


SYMPTOM = Symptom(
    title="the kernel failed in the code of a filesystem",
    rule=rule,
    leak=0.0003,
    because="these checks fail where the code is wrong, or where the records that it reads are",
    tells_apart=("host",),
    command="dmesg -T | grep -A 30 -E 'kernel BUG|Oops|BUG:'; uname -r",
)
