"""The scheduler says that a node of the job failed or stopped answering."""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.job import SchedulerEvent
from ..incident import Incident
from . import Finding, Symptom
from ._reports import findings, nothing


def rule(incident: Incident) -> Iterator[Finding]:
    events = incident.of(SchedulerEvent)
    facts = [(event, event.text) for event in events if event.about == "node-failed"]
    yield from findings(incident, facts)
    if events and not facts:
        yield from nothing(incident.reads("scheduler"), "the scheduler was asked and knows of no failed node")


SYMPTOM = Symptom(
    title="a node of the job failed",
    rule=rule,
    leak=0.004,
    because="the scheduler lost contact for minutes before it says so",
    tells_apart=("host",),
    command="sinfo -R; sacct -j JOB -o JobID,State,NodeList",
)
