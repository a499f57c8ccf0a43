"""Copies from GPU to GPU go wrong, those through the host do not, and the platform leads the former through its IOMMU.

By trials: the same work goes through with peer-to-peer access off (NCCL_P2P_DISABLE), or a copy by way of the CPU
arrives whole and the direct one does not. And by the machine: a PCIe bridge whose ACS redirects requests, or an IOMMU
that translates.

Or the work goes through once the IOMMU or ACS is off, or the IOMMU says that it refused what a GPU asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Subject
from ..evidence.job import SettingSeen
from ..evidence.kernel import GpuDriverMessage, Xid
from ..evidence.people import Trial
from ..incident import Incident
from ._cures import cures, settings
from ._symptom import Finding, Symptom

PEER_OFF = re.compile(r"\bNCCL_P2P_(?:DISABLE[= ]1|LEVEL[= ](?:LOC|0))\b", re.I)
# intel_iommu=off      BIOS IOMMU=Disabled      ACS off
PLATFORM_OFF = re.compile(
    r"\b(?:(?:intel|amd)_iommu[= ]off|iommu[= ](?:off|soft|pt|disabled)"
    r"|(?:IOMMU|VT-d|ACS)(?: control)?[= ](?:is )?(?:off|disabled))\b",
    re.I,
)
PEERS = re.compile(r"p2p|peer|nccl|all_?reduce|\bgpus\b|multi|\b[2-9]\d? ?x? ?gpu|ranks?\b|->", re.I)
REDIRECTS = {"PCIe ACS": "redirects", "IOMMU": "translated"}
# cuda:0 -> cuda:1
DIRECT = re.compile(r"^(?:cuda|gpu) ?:?\d{1,2} ?(?:->|to) ?(?:cuda|gpu) ?:?\d{1,2}$", re.I)
BY_HOST = re.compile(r"\b(?:cpu|host)\b", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    # a GPU that has halted, or is being reset, asks for anything
    faulted = {fact.subject.pci for fact in incident.of(Xid, GpuDriverMessage)}
    refusals = [fact for fact in incident.of(SettingSeen) if (fact.name, fact.value) == ("IOMMU", "refused")]
    devices = {refusal.subject.pci for refusal in refusals}
    for refusal in refusals if len(devices) > 1 else ():  # of one device alone it is a driver's slip as often
        if refusal.subject.pci not in faulted:
            note = f"the IOMMU refused what the GPU at {refusal.subject.pci} asked for"
            yield Finding(Subject(host=refusal.subject.host), (refusal,), note)
    several = any(PEERS.search(f"{trial.condition} {trial.text}") for trial in incident.of(Trial))
    for well, failed, setting in cures(incident, settings(PLATFORM_OFF), bad=("hang", "fail")) if several else ():
        yield Finding(Subject(), (well, failed[0]), f"it goes through with {setting}")
    redirects = [fact for fact in incident.of(SettingSeen) if REDIRECTS.get(fact.name) == fact.value]
    if not redirects:
        return
    cited = next(_trials(incident), ())
    if cited:
        note = f"copies from GPU to GPU go wrong, and the platform redirects them ({redirects[0].name})"
        yield Finding(Subject(host=redirects[0].subject.host), (*cited, redirects[0]), note)


def _trials(incident: Incident) -> Iterator[tuple[Evidence, ...]]:
    for bad in (("hang", "fail"), ("slow",)):
        for well, failed, _ in cures(incident, settings(PEER_OFF), bad=bad):
            yield well, failed[0]
    copies = incident.of(Trial)
    direct = next((each for each in copies if DIRECT.match(each.condition) and each.outcome == "fail"), None)
    by_host = next((each for each in copies if BY_HOST.search(each.condition) and each.outcome == "ok"), None)
    if direct and by_host and "->" in by_host.condition:
        yield by_host, direct


SYMPTOM = Symptom(
    title="copies between GPUs go wrong where the platform redirects them",
    rule=rule,
    leak=0.0001,
    because="on a sound platform a direct copy arrives as the one through the host does",
    tells_apart=("host",),
    command="sudo lspci -vvv | grep -E 'bridge|ACSCtl'; dmesg | grep -i iommu; try again with NCCL_P2P_DISABLE=1",
    cost_minutes=10,
)
