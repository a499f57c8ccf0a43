"""The last run makes steps at an even pace with finite losses, and nothing ended it early.

At least five steps, the last third at no less than half the median pace, no exception in its log and no bad end
of its process.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from ..evidence.job import NonFiniteValue
from ..incident import Incident
from . import Finding, Symptom
from ._runs import Run, runs
from .throughput_collapsed import rates


def rule(incident: Incident) -> Iterator[Finding]:
    """Each log's last run, where it is well."""
    for run in runs(incident):
        if run.is_last and _well(run) and not incident.of(NonFiniteValue):
            yield Finding(run.steps.subject, (run.steps,), f"{run.steps.steps} steps at an even pace")


def _well(run: Run) -> bool:
    pace = rates(run.steps)
    if run.steps.steps < 5 or len(pace) < 4 or run.failed:
        return False
    if run.ended and (run.ended.status not in (0, None) or run.ended.signal):
        return False
    tail = pace[-max(len(pace) // 3, 1) :]
    return median(tail) >= 0.5 * median(pace)


SYMPTOM = Symptom(
    title="the last run makes even progress",
    rule=rule,
    leak=0.5,
    because="the normal state of a run",
    command="tail -n 100 train.log",
    healthy=True,
)
