"""A GPU's PCIe link lost what was under way: an uncorrected error of which the driver cannot recover.

The kernel reports it for an address at which NVIDIA's or AMD's driver sits (nvidia, nouveau, amdgpu), or which that
driver names in reports of its own. Corrected errors never count, nor what was over before the run.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..incident import Incident
from ._gpus import link_failures
from ._reports import is_over
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for address, facts in link_failures(incident).items():
        facts = [fact for fact in facts if not is_over(incident, fact, passes=True)]
        if facts:
            note = f"the link of the GPU at {address} failed: {facts[0].text}"
            yield Finding(Subject(host=facts[0].subject.host, pci=address), tuple(facts[:8]), note[:200])


SYMPTOM = Symptom(
    title="a GPU's PCIe link failed",
    rule=rule,
    leak=0.001,
    because="an uncorrected error costs the device a transaction, and a sound link has none in years",
    tells_apart=("host", "pci"),
    command="sudo dmesg -T | grep -iE 'AER|pcieport|NVRM'; sudo lspci -vv | grep -E 'LnkSta|UESta'",
    may_pass=True,
)
