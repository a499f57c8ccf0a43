"""The orchestrator says that it evicted the pod or drained the node (disk or memory pressure, taint, maintenance)."""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.job import SchedulerEvent
from ..incident import Incident
from . import Finding, Symptom
from ._reports import findings, nothing

TOPICS = ("evicted", "disk-pressure", "memory-pressure")


def rule(incident: Incident) -> Iterator[Finding]:
    events = incident.of(SchedulerEvent)
    facts = [(event, event.text) for event in events if event.about in TOPICS]
    yield from findings(incident, facts)
    if not facts and any(event.system == "kubernetes" for event in events):
        yield from nothing(incident.reads("scheduler"), "the scheduler was asked and tells of no eviction")


SYMPTOM = Symptom(
    title="the orchestrator evicted the pod",
    rule=rule,
    leak=0.001,
    because="the orchestrator says what it did",
    command="kubectl describe pod POD; kubectl get events --sort-by=.lastTimestamp",
)
