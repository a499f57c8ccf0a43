"""The orchestrator says that it evicted the pod or drained the node (disk or memory pressure, taint, maintenance)."""

from __future__ import annotations

from collections.abc import Iterator

from ..incident import Incident
from . import Finding, Symptom
from ._reports import scheduler_reports

TOPICS = ("evicted", "disk-pressure", "memory-pressure")


def rule(incident: Incident) -> Iterator[Finding]:
    yield from scheduler_reports(incident, *TOPICS, system="kubernetes", what="eviction")


SYMPTOM = Symptom(
    title="the orchestrator evicted the pod",
    rule=rule,
    leak=0.001,
    because="the orchestrator says what it did",
    command="kubectl describe pod POD; kubectl get events --sort-by=.lastTimestamp",
)
