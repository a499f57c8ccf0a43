"""The memory controller or a machine check reports errors of the host's memory.

Any uncorrectable error; corrected ones from the hundredth on or from the threshold that mcelog itself sets, since a sound
DIMM corrects one now and then.
ABSENT where a kernel log long enough to speak is silent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..evidence.kernel import HostMemoryError
from ..incident import Incident
from . import Finding, Symptom
from ._reports import kernel_log, nothing

MANY_CORRECTED = 100


def rule(incident: Incident) -> Iterator[Finding]:
    modules: dict[tuple[str | None, str | None], list[HostMemoryError]] = defaultdict(list)
    for fact in incident.of(HostMemoryError):
        modules[fact.subject.host, fact.subject.device].append(fact)
    found = False
    for (_, device), facts in modules.items():
        hard = [fact for fact in facts if not fact.corrected]
        corrected = sum(fact.count for fact in facts if fact.corrected)
        beyond = any("exceeded threshold" in fact.text for fact in facts)
        if hard or beyond or corrected >= MANY_CORRECTED:
            found = True
            note = f"{len(hard)} uncorrected and {corrected} corrected errors of {device or 'the memory'}"
            yield Finding(facts[0].subject, tuple([*hard, *facts][:8]), note)
    if not found:
        yield from nothing(kernel_log(incident), "the kernel log was read and reports no memory error")


SYMPTOM = Symptom(
    title="the host's memory reports errors",
    rule=rule,
    leak=0.001,
    because="the controller sees each error in hardware",
    tells_apart=("host", "device"),
    command="sudo dmesg -T | grep -iE 'EDAC|mce|Hardware Error'; sudo ras-mc-ctl --errors",
)
