"""A process of the job crashed in native code: it was ended by SIGSEGV, SIGILL or SIGFPE, or the kernel reports it.

Nobody sends these from outside: a memory limit sends SIGKILL, a scheduler SIGTERM, and what gives up aborts itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.kernel import Segfault
from ..evidence.supervisor import LauncherFailure, ProcessEnded, SchedulerEvent
from ..incident import Incident
from ._symptom import Finding, Symptom

CRASHES = {4: "SIGILL", 8: "SIGFPE", 11: "SIGSEGV"}


def rule(incident: Incident) -> Iterator[Finding]:
    """Each crash, by launcher, shell, scheduler or kernel."""
    for failure in incident.of(LauncherFailure):
        signal = CRASHES.get(-(failure.exit_code or 0)) or CRASHES.get((failure.exit_code or 0) - 128)
        if signal:
            yield Finding(failure.subject, (failure,), f"rank {failure.subject.rank} was ended by {signal}")
    for ended in incident.of(ProcessEnded):
        if ended.signal in CRASHES.values():
            yield Finding(ended.subject, (ended,), f"a process was ended by {ended.signal}")
    for event in incident.of(SchedulerEvent):
        if event.signal in CRASHES:
            yield Finding(event.subject, (event,), f"the scheduler saw {CRASHES[event.signal]}")
    for fault in incident.of(Segfault):
        where = f" in {fault.library}" if fault.library else ""
        yield Finding(fault.subject, (fault,), f"{fault.subject.comm or 'a process'} crashed{where}")


SYMPTOM = Symptom(
    title="a process crashed in native code",
    rule=rule,
    leak=0.01,
    because="crashes while a job is torn down are seen now and then",
    command="coredumpctl list; sudo dmesg -T | grep -i segfault; PYTHONFAULTHANDLER=1 torchrun ...",
    cost_minutes=5,
)
