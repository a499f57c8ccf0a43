"""The pool below a volume has no space left, whatever room the volume's filesystem shows.

A thin pool promises its volumes more than it holds; df asks the filesystem and knows nothing of the pool.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.kernel import FilesystemError
from ..incident import Incident
from . import Finding, Symptom

POOL = "thin pool"


def rule(incident: Incident) -> Iterator[Finding]:
    """Each word of the kernel on such a pool."""
    for error in incident.of(FilesystemError):
        if error.filesystem == POOL and error.about == "no-space":
            yield Finding(error.subject, (error,), error.text[:160])


SYMPTOM = Symptom(
    title="a pool below the volume is out of space",
    rule=rule,
    leak=0.0002,
    because="the pool counts its own blocks",
    command="sudo lvs -a; sudo dmesg -T | grep device-mapper",
)
