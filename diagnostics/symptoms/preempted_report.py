"""The scheduler or the cloud says that it took the machine or the slot away."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.job import SchedulerEvent
from ..incident import Incident
from . import Finding, Symptom
from ._reports import findings, nothing, said, words_of

WORDS = re.compile(
    r"DUE TO PREEMPTION|DUE TO JOB REQUEUE|spot (?:instance )?(?:interruption|termination|reclaim)|preempt(?:ed|ion) (?:by|notice)",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    events = incident.of(SchedulerEvent)
    facts: list[tuple[Evidence, str]] = [(event, event.text) for event in events if event.about == "preempted"]
    facts += [(fact, words_of(fact)) for fact in said(incident, WORDS)]
    yield from findings(incident, facts)
    if events and not facts and not any(event.about == "time-limit" for event in events):
        yield from nothing(incident.reads("scheduler"), "the scheduler was asked and tells of no preemption")


SYMPTOM = Symptom(
    title="the scheduler took the machine away",
    rule=rule,
    leak=0.001,
    because="the scheduler says what it did",
    command="sacct -j JOB -o JobID,State,ExitCode,Elapsed,Timelimit; scontrol show job JOB",
)
