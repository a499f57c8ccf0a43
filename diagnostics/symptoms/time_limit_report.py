"""The scheduler says that the job reached its time limit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.job import SchedulerEvent
from ..incident import Incident
from . import Finding, Symptom
from ._reports import findings, nothing, said, words_of

WORDS = re.compile(r"DUE TO TIME LIMIT|walltime .{0,40}exceeded|DeadlineExceeded", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    events = incident.of(SchedulerEvent)
    facts: list[tuple[Evidence, str]] = [(event, event.text) for event in events if event.about == "time-limit"]
    facts += [(fact, words_of(fact)) for fact in said(incident, WORDS)]
    yield from findings(incident, facts)
    if events and not facts and not any(event.about == "preempted" for event in events):
        yield from nothing(incident.reads("scheduler"), "the scheduler was asked and tells of no time limit")


SYMPTOM = Symptom(
    title="the scheduler's time limit was reached",
    rule=rule,
    leak=0.001,
    because="the scheduler says what it did",
    command="sacct -j JOB -o JobID,State,Elapsed,Timelimit",
)
