"""The kernel stopped itself in the code of a filesystem or of the block layer: a BUG, an oops or a failed pointer
there.

By the source file that the report names, or the innermost function of its trace; Lustre names its own bugs (LBUG).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import KernelFault
from ..incident import Incident
from ._symptom import Finding, Symptom
from .kernel_filesystem_hang import LOCAL

SOURCE = re.compile(r"\bat fs/\w{2,12}/|\bat (?:block|drivers/md)/|not syncing: LBUG")
CLIENT = re.compile(r"^_{0,2}(?:ceph|nfs\d?|cifs|smb2|ll|osc|mdc|fuse|v9fs|afs|gfs2|beegfs|nfsd\d?)_")


def rule(incident: Incident) -> Iterator[Finding]:
    for fault in incident.of(KernelFault):
        if is_of_filesystem(fault):
            where = f"{fault.text[:120]} {_inside(fault) or ''}".strip()
            yield Finding(Subject(host=fault.subject.host), (fault,), where)


def is_of_filesystem(fault: KernelFault) -> bool:
    """True where the kernel stopped itself in the code of a filesystem."""
    return fault.about in ("bug", "oops", "panic") and bool(SOURCE.search(fault.text) or _inside(fault))


def _inside(fault: KernelFault) -> str | None:
    names = (fault.function or "", *fault.frames[:3])
    return next((name for name in names if LOCAL.match(name) or CLIENT.match(name)), None)


SYMPTOM = Symptom(
    title="the kernel failed in the code of a filesystem",
    rule=rule,
    leak=0.0003,
    because="these checks fail where the code is wrong, or where the records that it reads are",
    tells_apart=("host",),
    command="dmesg -T | grep -A 30 -E 'kernel BUG|Oops|BUG:'; uname -r",
)
