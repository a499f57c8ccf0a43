"""A GPU's PCIe link lost what was under way: an uncorrected error of which the driver cannot recover.

The kernel reports it for an address at which NVIDIA's or AMD's driver sits (nvidia, nouveau, amdgpu), or which that
driver names in reports of its own. Corrected errors never count, nor what was over before the run.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ..evidence import Subject
from ..evidence.kernel import GpuDriverMessage, PcieError, Xid
from ..incident import Incident
from ._reports import is_over
from ._symptom import Finding, Symptom

DRIVER = re.compile(r"^(?:nvidia|nouveau|amdgpu) ")
LOST = ("fatal", "non-fatal", "link-down")
JUST_NOW_S = 600.0


def rule(incident: Incident) -> Iterator[Finding]:
    for address, facts in link_failures(incident).items():
        facts = [fact for fact in facts if not is_over(incident, fact, passes=True)]
        if facts:
            note = f"the link of the GPU at {address} failed: {facts[0].text}"
            yield Finding(Subject(host=facts[0].subject.host, pci=address), tuple(facts[:8]), note[:200])


def link_failures(incident: Incident) -> dict[str, list[PcieError]]:
    """The uncorrected errors of each device that a GPU's driver, or a report of its own, tells to be a GPU."""
    gpus = {fact.subject.pci for fact in incident.of(Xid, GpuDriverMessage)}
    failed: dict[str, list[PcieError]] = {}
    for fact in incident.of(PcieError):
        if fact.level in LOST and fact.subject.pci:
            failed.setdefault(fact.subject.pci, []).append(fact)
    return {
        address: sorted(facts, key=lambda fact: (fact.source.file, fact.source.line))
        for address, facts in failed.items()
        if address in gpus or any(DRIVER.match(fact.text) for fact in facts)
    }


def follows(incident: Incident, failures: Sequence[PcieError], xid: Xid) -> bool:
    """True for a report below an uncorrected error of the same device in the same log, minutes after it at most."""
    above = bisect_left(
        failures, (xid.source.file, xid.source.line), key=lambda fact: (fact.source.file, fact.source.line)
    )
    last = failures[above - 1] if above else None
    if last is None or last.source.file != xid.source.file:
        return False
    return (incident.timeline.elapsed_s(last, xid) or 0.0) <= JUST_NOW_S


SYMPTOM = Symptom(
    title="a GPU's PCIe link failed",
    rule=rule,
    leak=0.001,
    because="an uncorrected error costs the device a transaction, and a sound link has none in years",
    tells_apart=("host", "pci"),
    command="sudo dmesg -T | grep -iE 'AER|pcieport|NVRM'; sudo lspci -vv | grep -E 'LnkSta|UESta'",
    may_pass=True,
)
