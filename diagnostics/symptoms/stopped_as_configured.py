"""The run says that it ended by its own setting (a time limit of its own, the last step or epoch), or only waits in
the scheduler's queue; nothing failed before.

Only in incidents where somebody missed the job: a watchdog or scheduler speaks of it after its end.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.job import PythonException, RunFinished, SchedulerEvent, WatchdogFired
from ..incident import Incident
from . import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    """The run's own last word, with the alarm that came after it."""
    finished = incident.of(RunFinished)
    waits = [event for event in incident.of(SchedulerEvent) if event.about in ("pending", "completed")]
    alarms: list[Evidence] = [fact for fact in incident.of(WatchdogFired) if fact.action == "alert"]
    failed = any(_after(finished, error) for error in incident.of(PythonException))
    if finished and (alarms or waits) and not failed:
        yield Finding(
            finished[-1].subject, (finished[-1], *alarms[:2], *waits[:2]), f"the run said: {finished[-1].text[:120]}"
        )


def _after(finished: list[RunFinished], error: Evidence) -> bool:
    return any(f.source.file == error.source.file and error.source.line > f.source.line for f in finished)


SYMPTOM = Symptom(
    title="the run ended as configured and somebody missed it",
    rule=rule,
    leak=0.001,
    because="the words are the program's own; an alarm after them is about the gap, not about a fault",
    command="tail -n 50 train.log; squeue -u $USER; sacct -j JOB",
)
