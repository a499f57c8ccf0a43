"""The orchestrator says that it evicted the pod or drained the node (disk or memory pressure, taint, maintenance).

Where it also says that the node does not answer, its taint manager only clears away what had stopped.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Coverage, Evidence
from ..evidence.supervisor import SchedulerEvent
from ..incident import Incident
from ._reports import scheduler_reports
from ._symptom import Finding, Symptom

TOPICS = ("evicted", "disk-pressure", "memory-pressure")


def rule(incident: Incident) -> Iterator[Finding]:
    node_lost = any(event.about == "node-failed" for event in incident.of(SchedulerEvent))
    for finding in scheduler_reports(incident, *TOPICS, system="kubernetes", what="eviction"):
        if not (node_lost and finding.present and all(map(_clears_away, finding.evidence))):
            yield finding


def _clears_away(fact: Evidence | Coverage) -> bool:
    return isinstance(fact, SchedulerEvent) and "TaintManager" in fact.text


SYMPTOM = Symptom(
    title="the orchestrator evicted the pod",
    rule=rule,
    leak=0.001,
    because="the orchestrator says what it did",
    command="kubectl describe pod POD; kubectl get events --sort-by=.lastTimestamp",
)
