"""A process hangs inside the NVIDIA driver, or a tool that only asks the driver does not come back.

A hung task or a kernel stack in nvidia, nvidia_uvm or their lock functions, also of a process in R that a kill has not
ended; a hung thread of the driver's own; nvidia-smi that hangs or times out; a rmmod of the driver's module in D, or a
command that takes the card from it. A program that only opens the device (deviceQuery, rocminfo) and is not back after
half a minute is such a tool, where nothing else that was tried hangs; a line of Python that does so is one where such a
program hangs too or a line without the device came back, since its imports may be what hangs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.gpu import GpuToolError
from ..evidence.kernel import HungTask, RcuStall, SoftLockup
from ..evidence.process import ProcessState
from ..evidence.storage import CommandOutcome
from ..incident import Incident
from ._gpu_driver import FRAME, GPU_TOOLS, kept_by_driver, unloads
from ._symptom import Finding, Symptom

HANGS = ("hanging", "timed-out")
# the driver's own thread, and what the container's library asks it with: they wait nowhere else
INSIDE = ("nvidia-modeset/", "nvc:[driver]")
ASKS = re.compile(r"\b(?:nvidia-smi|dcgmi|rocm-smi)\b")
# timeout 60 ./deviceQuery      timeout 90 /opt/rocm/bin/rocminfo
OPENS = re.compile(r"(?:^|[\s/])(?:deviceQuery(?:Drv)?|bandwidthTest|rocminfo|clinfo|gpustat)(?![\w.-])")
PYTHON = re.compile(r"\bpython[\d.]{0,5} -c\b")
# python3 -c "import torch; torch.zeros(1, device='cuda')"      python -c 'import jax; print(jax.devices())'
OPENS_IN_PYTHON = re.compile(
    r"\.cuda\(|torch\.cuda\.\w|['\"]cuda(?::\d{1,2})?['\"]|jax\.(?:local_)?devices\(|list_physical_devices\("
    r"|\bcu(?:da)?Init\b|\bcupy\b"
)
LIMIT = re.compile(r"\btimeout (?:-\S{1,20} ){0,3}(\d{1,6})([smh]?)\b")
SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}
LONGEST_START_S = 30  # without persistence mode the driver brings eight devices up first


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
    for thread in kept_by_driver(incident):
        yield Finding(thread.subject, (thread,), f"{thread.subject.comm or 'a thread'} waits inside the NVIDIA driver")
    for row in incident.of(ProcessState):
        if row.state == "D" and FRAME.search(row.wchan or ""):
            yield Finding(row.subject, (row,), f"{row.subject.comm} is in D in {row.wchan}")
        elif row.state == "D" and row.subject.comm in GPU_TOOLS:
            yield Finding(row.subject, (row,), f"{row.subject.comm} is in D")
        elif row.state == "D" and unloads(incident, row):
            yield Finding(row.subject, (row,), f"{row.command[:80]} is in D")
    for command in incident.of(CommandOutcome):
        if command.outcome in HANGS and ASKS.search(command.command):
            yield Finding(command.subject, (command,), f"{command.command} does not come back")
    yield from _does_not_open(incident)
    for error in incident.of(GpuToolError):
        if error.about == "hanging":
            yield Finding(error.subject, (error,), error.text)


def _does_not_open(incident: Incident) -> Iterator[Finding]:
    """Programs that do nothing but open the device, and that do not come back while all the rest does."""
    commands = incident.of(CommandOutcome)
    hanging = [each for each in commands if each.outcome in HANGS and not ASKS.search(each.command)]
    programs = [each for each in hanging if OPENS.search(each.command)]
    lines = [each for each in hanging if PYTHON.search(each.command) and OPENS_IN_PYTHON.search(each.command)]
    if len(programs) + len(lines) < len(hanging):
        return
    imported = any(
        each.outcome == "ok" and PYTHON.search(each.command) and not OPENS_IN_PYTHON.search(each.command)
        for each in commands
    )
    for command in (*programs, *(lines if programs or imported else ())):
        if _waited_s(command) >= LONGEST_START_S:
            yield Finding(command.subject, (command,), f"`{command.command[:100]}` does not come back")


def _waited_s(command: CommandOutcome) -> float:
    """How long somebody waited for a command; long, where nobody says."""
    limit = LIMIT.search(command.command)
    waited = int(limit[1]) * SECONDS[limit[2]] if limit else LONGEST_START_S
    return command.after_s if command.after_s is not None else waited


def _asks_the_driver(fact: HungTask | SoftLockup | RcuStall) -> bool:
    named = fact.subject.comm in INSIDE or (not fact.frames and fact.subject.comm in GPU_TOOLS)
    return isinstance(fact, HungTask) and named


SYMPTOM = Symptom(
    title="a process hangs inside the GPU driver",
    rule=rule,
    leak=0.001,
    because="the driver's calls return within a second on a healthy machine",
    tells_apart=("host",),
    command="ps -eo pid,stat,wchan:32,comm | awk '$2 ~ /D/'; sudo cat /proc/STUCK_PID/stack",
)
