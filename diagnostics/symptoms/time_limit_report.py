"""The scheduler says that the job reached its time limit. A limit of the run's own is an orderly end.

Not where the job's log ends in a wait that it has counted in vain: the limit ended what would not have gone on anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from . import Finding, Symptom
from ._reports import scheduler_reports
from ._runs import unanswered_waits

WORDS = re.compile(r"(?-i:DUE TO TIME LIMIT)|walltime .{0,40}exceeded|(?<!code = )DeadlineExceeded", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    if unanswered_waits(incident):
        return
    yield from scheduler_reports(incident, "time-limit", words=WORDS, unless="preempted", what="time limit")


SYMPTOM = Symptom(
    title="the scheduler's time limit was reached",
    rule=rule,
    leak=0.001,
    because="the scheduler says what it did",
    command="sacct -j JOB -o JobID,State,Elapsed,Timelimit",
)
