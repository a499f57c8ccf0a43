"""A batch system holds a job suspended: it has its slot, and its processes are stopped until they are told to go on.

In a table or record of Slurm (S, SUSPENDED), LSF (SSUSP, USUSP), PBS (S) or Grid Engine (s, S, T) at the last look.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.supervisor import SchedulerEvent
from ..incident import Incident
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    last: dict[str | None, SchedulerEvent] = {event.subject.job: event for event in incident.of(SchedulerEvent)}
    for event in last.values():
        if event.about == "suspended":
            yield Finding(event.subject, (event,), f"suspended: {event.text[:140]}")


SYMPTOM = Symptom(
    title="the batch system has suspended the job",
    rule=rule,
    leak=0.0002,
    because="a job is suspended by order only: of a person, of a queue's threshold, or for another job",
    command="scontrol show job JOB; bjobs -l JOB; qstat -j JOB",
)
