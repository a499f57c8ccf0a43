"""The kernel stopped itself in the code of a local filesystem or of the block layer: a BUG, an oops or a failed pointer there.

By the source file that the report names, or the innermost function of its trace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import KernelFault
from ..incident import Incident
from . import Finding, Symptom
from .kernel_filesystem_hang import LOCAL

SOURCE = re.compile(r"\bat fs/(?!fuse|nfs|ceph|cifs|smb|9p|afs)\w{2,12}/|\bat (?:block|drivers/md)/")


def rule(incident: Incident) -> Iterator[Finding]:
    for fault in incident.of(KernelFault):
        inside = next((name for name in (fault.function or "", *fault.frames[:3]) if LOCAL.match(name)), None)
        if fault.about in ("bug", "oops") and (SOURCE.search(fault.text) or inside):
            yield Finding(Subject(host=fault.subject.host), (fault,), f"{fault.text[:120]} {inside or ''}".strip())


SYMPTOM = Symptom(
    title="the kernel failed in the code of a filesystem",
    rule=rule,
    leak=0.0003,
    because="these checks fail where the code is wrong, or where the records that it reads are",
    tells_apart=("host",),
    command="dmesg -T | grep -A 30 -E 'kernel BUG|Oops|BUG:'; uname -r",
)
