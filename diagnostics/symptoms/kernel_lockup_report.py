"""The kernel reports that a processor or a grace period is stuck in the kernel itself.

Soft or hard lockup, RCU stall, a BUG, an oops or a panic, not inside the GPU driver or a filesystem. A soft lockup or a
stall that every run of the incident outlived to its proper end has passed, and a single soft lockup whose trace is
missing is another symptom. ABSENT where a kernel log long enough to
speak is silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity
from ..evidence.kernel import ClockJump, HardLockup, KernelFault, RcuStall, SoftLockup
from ..incident import Incident
from ._gpu_driver import is_of_gpu_driver
from ._kernel import is_of_filesystem, lone
from ._reports import findings, is_over, kernel_log, nothing
from ._runs import all_finished
from ._symptom import Finding, Symptom

# a driver or filesystem that spins is the fault of that driver or filesystem, and a symptom of its own
ELSEWHERE = re.compile(r"nvidia|^_?nv\d{5,}rm|^uvm_|^(?:ext4|xfs|btrfs|jbd2|nfs|fuse|ceph|ll|cifs)_")
HARDWARE = re.compile(r"hardware error|machine check|mce", re.I)
FAULTS = ("bug", "oops", "panic")


def rule(incident: Incident) -> Iterator[Finding]:
    stuck: list[SoftLockup | HardLockup | RcuStall] = [
        *incident.of(SoftLockup),
        *incident.of(HardLockup),
        *incident.of(RcuStall),
    ]
    unexplained = lone(incident)
    facts: list[tuple[Evidence, str]] = [
        (each, f"{each.kind.replace('_', ' ')} in {each.function or 'the kernel'}")
        for each in stuck
        if not any(each is one for one in unexplained)
        and not any(ELSEWHERE.search(frame) for frame in (each.function or "", *each.frames))
        and (isinstance(each, HardLockup) or not all_finished(incident))
    ]
    facts += [
        (each, f"{each.about}: {each.text}")
        for each in incident.of(KernelFault)
        if each.about in FAULTS
        and not HARDWARE.search(each.text)
        and not is_of_filesystem(each)
        and not is_of_gpu_driver(each)
    ]
    facts += [(each, each.text) for each in incident.of(ClockJump) if each.severity is not Severity.INFO]
    facts = [(fact, note) for fact, note in facts if not is_over(incident, fact, passes=True)]
    yield from findings(incident, facts)
    if not facts and not unexplained:
        yield from nothing(kernel_log(incident), "the kernel log was read and reports no lockup")


SYMPTOM = Symptom(
    title="the kernel reports a lockup or a fault of its own",
    rule=rule,
    leak=0.001,
    because="a machine under extreme memory pressure or a paused virtual machine reports one without a kernel fault",
    tells_apart=("host",),
    command="sudo dmesg -T | grep -iE 'lockup|rcu.*stall|BUG:|Oops|Call Trace'",
)
