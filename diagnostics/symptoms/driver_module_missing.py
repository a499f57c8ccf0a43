"""The kernel that runs has no module of the NVIDIA driver that it could load: there is none for this kernel, or the one
that is there was built for another.

The loader says so, or the module is installed for other kernels only, on a machine whose driver does not answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.gpu import GpuToolError
from ..evidence.job import SettingSeen
from ..incident import Incident
from ._reports import gpu_reports
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    yield from gpu_reports(incident, tool=("module-missing",))
    running = [fact for fact in incident.of(SettingSeen) if fact.name == "running kernel"]
    installed = [fact for fact in incident.of(SettingSeen) if fact.name == "module installed for"]
    refusals = [error for error in incident.of(GpuToolError) if error.about == "init-failed"]
    others_only = bool(installed) and not {fact.value for fact in running} & {fact.value for fact in installed}
    if len({fact.value for fact in running}) == 1 and refusals and others_only:
        note = f"kernel {running[0].value} runs; the module is installed for {installed[0].value}"
        yield Finding(Subject(), (running[0], installed[0], refusals[0]), note)


SYMPTOM = Symptom(
    title="the running kernel has no module of the GPU driver",
    rule=rule,
    leak=0.0002,
    because="a node that ran GPU jobs had a module; it is missed only after a kernel or a driver was changed",
    tells_apart=("host",),
    command="uname -r; find /lib/modules -name 'nvidia*.ko*'; dkms status",
)
