"""A GPU's memory corrects errors at a rate that is a fault by itself, or has rows waiting to be replaced.

Xid 92, or 63 (a page or row taken out of use); over a thousand corrected errors since the driver was loaded; a row
remapping that is pending or has failed.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.gpu import GpuErrorCounts
from ..incident import Incident
from ._gpus import is_storm
from ._reports import gpu_reports, gpu_subject
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for finding in gpu_reports(incident, codes=(92, 63)):
        if finding.present:
            yield finding
    for fact in incident.of(GpuErrorCounts):
        stormy = [f"{name}: {count}" for name, count in fact.counts.items() if is_storm(name.lower(), count)]
        if stormy:
            yield Finding(gpu_subject(incident, fact.subject), (fact,), ", ".join(stormy))
        elif fact.counts:
            note = "the counters show no storm and no pending repair"
            yield Finding(gpu_subject(incident, fact.subject), (fact,), note, present=False)


SYMPTOM = Symptom(
    title="a GPU's memory corrects errors in storms or has rows to replace",
    rule=rule,
    leak=0.002,
    because="large fleets carry a few such GPUs at any time without any job noticing",
    tells_apart=("host", "pci"),
    command="nvidia-smi -q -d ECC,ROW_REMAPPER",
)
