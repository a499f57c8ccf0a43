"""The kernel that runs has no module of the NVIDIA driver that it could load: there is none for this kernel, or the one that
is there was built for another.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..incident import Incident
from . import Finding, Symptom
from ._reports import gpu_reports


def rule(incident: Incident) -> Iterator[Finding]:
    yield from gpu_reports(incident, tool=("module-missing",))


SYMPTOM = Symptom(
    title="the running kernel has no module of the GPU driver",
    rule=rule,
    leak=0.0002,
    because="a node that ran GPU jobs had a module; it is missed only after a kernel or a driver was changed",
    tells_apart=("host",),
    command="uname -r; find /lib/modules -name 'nvidia*.ko*'; dkms status",
)
