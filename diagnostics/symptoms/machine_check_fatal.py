"""A machine check that could not be corrected: the processor stopped rather than go on with wrong data.

ABSENT where a kernel log long enough to speak is silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.kernel import KernelFault, MachineCheck
from ..incident import Incident
from ._reports import findings, kernel_log, nothing
from ._symptom import Finding, Symptom

PANIC = re.compile(r"Fatal (?:machine check|hardware error)|Uncorrected hardware", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    facts: list[tuple[Evidence, str]] = [(each, each.text) for each in incident.of(MachineCheck) if not each.corrected]
    facts += [(each, each.text) for each in incident.of(KernelFault) if PANIC.search(each.text)]
    yield from findings(incident, facts)
    if not facts:
        yield from nothing(kernel_log(incident), "the kernel log was read and reports no fatal machine check")


SYMPTOM = Symptom(
    title="a fatal machine check",
    rule=rule,
    leak=0.0005,
    because="the processor raises it for damaged data and for nothing else",
    tells_apart=("host",),
    command="sudo dmesg -T | grep -iE 'mce|Hardware Error'; sudo ras-mc-ctl --errors",
)
