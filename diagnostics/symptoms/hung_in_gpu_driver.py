"""A process hangs inside the NVIDIA driver, or a tool that only asks the driver does not come back.

A hung task or a kernel stack in nvidia, nvidia_uvm or their lock functions; nvidia-smi that hangs or times out; a rmmod
of the driver's module in D.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.gpu import GpuToolError
from ..evidence.kernel import HungTask, RcuStall, SoftLockup
from ..evidence.process import ProcessState, ThreadState
from ..evidence.storage import CommandOutcome
from ..incident import Incident
from . import Finding, Symptom

FRAME = re.compile(
    r"^(?:_?nv\d{5,}rm|nvidia_|nvkms|nv_|uvm_|os_acquire_(?:rwlock|mutex|semaphore)|rm_|osAcquire)|nvidia"
)
SPINS = re.compile(r"spin|acquire|_lock\b|wait_for", re.I)
HANGS = ("hanging", "timed-out")
TOOLS = ("nvidia-smi", "nvidia-persiste", "dcgmi")  # they do nothing but ask the driver
# rmmod nvidia_uvm      modprobe -r nvidia_drm      modprobe -f --remove amdgpu
UNLOADS = re.compile(
    r"\b(?:rmmod|modprobe(?: -{1,2}[a-z]{1,10}){0,3} (?:-r|--remove))"
    r"(?: -{1,2}\w{1,10}){0,3} (?:nvidia(?:[_-]\w{1,12})?|amdgpu|amdkfd)(?![\w.])"
)


def rule(incident: Incident) -> Iterator[Finding]:
    reports: list[HungTask | SoftLockup | RcuStall] = [
        *incident.of(HungTask),
        *incident.of(SoftLockup),
        *incident.of(RcuStall),
    ]
    for fact in reports:
        if any(FRAME.search(frame) for frame in (fact.function or "", *fact.frames)) or _asks_the_driver(fact):
            yield Finding(
                fact.subject, (fact,), f"{fact.subject.comm or 'a task'} hangs in {fact.function or 'nvidia'}"
            )
    for thread in incident.of(ThreadState):
        spins = bool(thread.frames) and all(word.search(thread.frames[0]) for word in (FRAME, SPINS))
        if (thread.state == "D" or spins) and any(FRAME.search(frame) for frame in thread.frames):
            yield Finding(
                thread.subject, (thread,), f"{thread.subject.comm or 'a thread'} waits inside the NVIDIA driver"
            )
    for row in incident.of(ProcessState):
        if row.state == "D" and FRAME.search(row.wchan or ""):
            yield Finding(row.subject, (row,), f"{row.subject.comm} is in D in {row.wchan}")
        elif row.state == "D" and row.subject.comm in TOOLS:
            yield Finding(row.subject, (row,), f"{row.subject.comm} is in D")
        elif row.state == "D" and UNLOADS.search(row.command):
            yield Finding(row.subject, (row,), f"{row.command[:80]} is in D")
    for command in incident.of(CommandOutcome):
        if command.outcome in HANGS and re.search(r"\b(?:nvidia-smi|dcgmi|rocm-smi)\b", command.command):
            yield Finding(command.subject, (command,), f"{command.command} does not come back")
    for error in incident.of(GpuToolError):
        if error.about == "hanging":
            yield Finding(error.subject, (error,), error.text)


def _asks_the_driver(fact: HungTask | SoftLockup | RcuStall) -> bool:
    return isinstance(fact, HungTask) and not fact.frames and fact.subject.comm in TOOLS


SYMPTOM = Symptom(
    title="a process hangs inside the GPU driver",
    rule=rule,
    leak=0.001,
    because="the driver's calls return within a second on a healthy machine",
    tells_apart=("host",),
    command="ps -eo pid,stat,wchan:32,comm | awk '$2 ~ /D/'; sudo cat /proc/PID/stack",
)
