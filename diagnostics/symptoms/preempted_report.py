"""The scheduler or the cloud says that it took the machine or the slot away."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from . import Finding, Symptom
from ._reports import scheduler_reports

WORDS = re.compile(
    r"DUE TO (?:PREEMPTION|JOB REQUEUE)|\bthis job is (?:preempted|timed-out)"
    "|spot (?:instance )?(?:interruption|termination|reclaim)|preempt(?:ed|ion) (?:by|notice)",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    yield from scheduler_reports(incident, "preempted", words=WORDS, unless="time-limit", what="preemption")


SYMPTOM = Symptom(
    title="the scheduler took the machine away",
    rule=rule,
    leak=0.001,
    because="the scheduler says what it did",
    command="sacct -j JOB -o JobID,State,ExitCode,Elapsed,Timelimit; scontrol show job JOB",
)
