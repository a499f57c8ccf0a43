"""The last run makes steps at an even pace with finite losses, and nothing ended it early.

At least five steps, or three lines that lie many steps apart; the last third at no less than half the median pace, no
exception in its log and no bad end of its process.
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
    if run.failed or not (_many(run) and pace):
        return False
    if run.ended and (run.ended.status not in (0, None) or run.ended.signal):
        return False
    tail = pace[-max(len(pace) // 3, 1) :]
    return median(tail) >= 0.5 * median(pace)


def _many(run: Run) -> bool:
    """True where the log shows enough steps: five lines, or three with twenty steps between the first and the last."""
    first, last = run.steps.first_step, run.steps.last_step
    apart = last - first if first is not None and last is not None else 0
    return run.steps.steps >= 5 or (run.steps.steps >= 3 and apart >= 20)


SYMPTOM = Symptom(
    title="the last run makes even progress",
    rule=rule,
    leak=0.5,
    because="the normal state of a run",
    command="tail -n 100 train.log",
    healthy=True,
)
