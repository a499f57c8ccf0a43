"""The scheduler says that the job reached its time limit, or its record shows that the job used all the time that it
had asked for. A limit of the run's own is an orderly end.

Not where the job's log ends in a wait that it has counted in vain: the limit ended what would not have gone on anyway.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..durations import seconds
from ..evidence.job import SettingSeen
from ..incident import Incident
from ._reports import scheduler_reports
from ._runs import unanswered_waits
from ._symptom import Finding, Symptom

WORDS = re.compile(r"(?-i:DUE TO TIME LIMIT)|walltime .{0,40}exceeded|(?<!code = )DeadlineExceeded", re.I)
# qstat -f: Resource_List.walltime = 01:00:00     resources_used.walltime = 01:00:08
ASKED, USED = "Resource_List.walltime", "resources_used.walltime"


def rule(incident: Incident) -> Iterator[Finding]:
    if unanswered_waits(incident):
        return
    if used_up := _used_up(incident):
        yield Finding(used_up[0].subject, used_up, f"{used_up[1].value} used of {used_up[0].value}")
        return
    yield from scheduler_reports(incident, "time-limit", words=WORDS, unless="preempted", what="time limit")


def _used_up(incident: Incident) -> tuple[SettingSeen, ...]:
    """What one job was given and what it used, where that is all of it."""
    asked = [seen for seen in incident.of(SettingSeen) if seen.name == ASKED]
    used = [seen for seen in incident.of(SettingSeen) if seen.name == USED]
    if len(asked) != 1 or len(used) != 1:
        return ()
    limit_s, used_s = seconds(asked[0].value), seconds(used[0].value)
    return (asked[0], used[0]) if limit_s and used_s is not None and used_s >= limit_s else ()


SYMPTOM = Symptom(
    title="the scheduler's time limit was reached",
    rule=rule,
    leak=0.001,
    because="the scheduler says what it did",
    command="sacct -j JOB -o JobID,State,Elapsed,Timelimit",
)
