"""One rank ended by itself, what it said was kept, and nothing anywhere says why.

A rank left with a crash's signal or an error's status, before the others complained; no exception of its own stands in
the logs, and neither kernel, driver nor scheduler reports anything. A rank that somebody killed (SIGKILL, SIGTERM) is
no case of this: the reason lies outside and was not looked for. Nor is a bus error, which says that a mapped page could
not be had.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.job import PythonException
from ..evidence.kernel import OomKill, Xid
from ..evidence.supervisor import LauncherFailure, ProcessEnded, SchedulerEvent
from ..incident import Incident
from ._peers import is_victim, tasks_ended
from ._registry import findings_of
from ._symptom import Finding, Symptom

KILLED_OR_BUS = (-9, -15, -7, 137, 143, 135)
TOLD = ("oom-killed", "evicted", "preempted", "time-limit", "node-failed", "cancelled")


def rule(incident: Incident) -> Iterator[Finding]:
    events = incident.of(SchedulerEvent)
    # Slurm cancels the step of a task that has crashed
    told = [
        event for event in events if event.about in TOLD and not (event.about == "cancelled" and tasks_ended(events))
    ]
    reasons = [
        *incident.of(OomKill, Xid),
        *told,
        *(raised for raised in incident.of(PythonException) if not is_victim(raised)),
    ]
    for finding in findings_of(incident, "rank-failed-first"):
        ended = finding.evidence[0]
        killed = (isinstance(ended, LauncherFailure) and ended.exit_code in KILLED_OR_BUS) or (
            isinstance(ended, ProcessEnded) and ended.signal in ("SIGKILL", "SIGTERM", "SIGBUS")
        )
        if not killed and not isinstance(ended, PythonException):
            note = f"{finding.note}, and nothing says why" if not reasons else "something says why"
            yield Finding(finding.subject, finding.evidence, note, present=not reasons)


SYMPTOM = Symptom(
    title="a rank ended and nothing says why",
    rule=rule,
    leak=0.05,
    because="faults mostly leave a word in the logs that were kept",
    tells_apart=("rank",),
    command="torchrun --log-dir logs --tee 3 ...; sudo dmesg -T | tail -50",
)
