"""The kernel reports that a processor or a grace period is stuck in the kernel itself.

Soft or hard lockup, RCU stall, a BUG, an oops or a panic. ABSENT where a kernel log long enough to speak is silent.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.kernel import ClockJump, HardLockup, KernelFault, RcuStall, SoftLockup
from ..incident import Incident
from . import Finding, Symptom
from ._reports import findings, kernel_log, nothing

FAULTS = ("bug", "oops", "panic")


def rule(incident: Incident) -> Iterator[Finding]:
    stuck: list[SoftLockup | HardLockup | RcuStall] = [
        *incident.of(SoftLockup),
        *incident.of(HardLockup),
        *incident.of(RcuStall),
    ]
    facts: list[tuple[Evidence, str]] = [
        (each, f"{each.kind.replace('_', ' ')} in {each.function or 'the kernel'}") for each in stuck
    ]
    facts += [(each, f"{each.about}: {each.text}") for each in incident.of(KernelFault) if each.about in FAULTS]
    facts += [(each, each.text) for each in incident.of(ClockJump)]
    yield from findings(incident, facts)
    if not facts:
        yield from nothing(kernel_log(incident), "the kernel log was read and reports no lockup")


SYMPTOM = Symptom(
    title="the kernel reports a lockup or a fault of its own",
    rule=rule,
    leak=0.003,
    because="a machine under extreme memory pressure or a paused virtual machine reports one without a kernel fault",
    tells_apart=("host",),
    command="sudo dmesg -T | grep -iE 'lockup|rcu.*stall|BUG:|Oops|Call Trace'",
)
