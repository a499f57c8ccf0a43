"""A PCIe link reports errors (AER, DPC) or went down.

Fatal and non-fatal errors count at once, corrected ones from the third on: a link corrects one now and then.
ABSENT where a kernel log long enough to speak is silent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import PcieError
from ..incident import Incident
from ._reports import is_over, kernel_log, nothing
from ._symptom import Finding, Symptom

MANY_CORRECTED = 3


def rule(incident: Incident) -> Iterator[Finding]:
    ports: dict[tuple[str | None, str | None], list[PcieError]] = defaultdict(list)
    for fact in incident.of(PcieError):
        if is_over(incident, fact, passes=True):
            continue
        ports[fact.subject.host, fact.subject.pci].append(fact)
    found = False
    for (host, _), facts in ports.items():
        hard = [fact for fact in facts if fact.level != "corrected"]
        if hard or len(facts) >= MANY_CORRECTED:
            found = True
            # the port's address is not the GPU's: the subject must not claim a device
            note = f"{len(facts)} PCIe errors on {facts[0].subject.pci or 'one port'}, {len(hard)} of them uncorrected"
            yield Finding(Subject(host=host), tuple(facts[:8]), note)
    if not found:
        yield from nothing(kernel_log(incident), "the kernel log was read and reports no PCIe error")


SYMPTOM = Symptom(
    title="a PCIe link reports errors",
    rule=rule,
    leak=0.02,
    because="a noisy port of no importance is found on many servers",
    tells_apart=("host",),
    command="sudo dmesg -T | grep -iE 'AER|pcieport|DPC'; sudo lspci -vv | grep -E 'LnkSta|UESta'",
    may_pass=True,
)
