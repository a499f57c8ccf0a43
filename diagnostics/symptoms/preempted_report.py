"""The scheduler or the cloud says that it took the machine or the slot away.

So it does where a job is suspended and the scheduler is configured to suspend what it preempts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.job import SettingSeen
from ..evidence.supervisor import SchedulerEvent
from ..incident import Incident
from ._reports import scheduler_reports
from ._symptom import Finding, Symptom

WORDS = re.compile(
    r"DUE TO (?:PREEMPTION|JOB REQUEUE)|\bthis job is (?:preempted|timed-out)"
    "|spot (?:instance )?(?:interruption|termination|reclaim)|preempt(?:ed|ion) (?:by|notice)",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    suspends = [
        seen for seen in incident.of(SettingSeen) if seen.name == "PreemptMode" and "SUSPEND" in seen.value.upper()
    ]
    held = [event for event in incident.of(SchedulerEvent) if event.about == "suspended"]
    if suspends and held:
        yield Finding(held[0].subject, (held[0], suspends[0]), "suspended, as this scheduler preempts")
        return
    yield from scheduler_reports(incident, "preempted", words=WORDS, unless="time-limit", what="preemption")


SYMPTOM = Symptom(
    title="the scheduler took the machine away",
    rule=rule,
    leak=0.001,
    because="the scheduler says what it did",
    command="sacct -j JOB -o JobID,State,ExitCode,Elapsed,Timelimit; scontrol show job JOB",
)
