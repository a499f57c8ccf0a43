"""Throughput fell to less than two fifths of the run's own pace and stayed there to the end of its log.

The pace is the median over the run. The first two steps never count (they compile and fill caches). One slow last
step counts only below a quarter. ABSENT where a run of at least twelve steps did not fall so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from ..evidence import Subject
from ..evidence.training import TrainingSteps
from ..incident import Incident
from ..runs import gaps
from ._runs import column
from ._symptom import Finding, Symptom

COLLAPSED = 0.4
ONE_STEP = 0.25
FIRST = 2  # steps that never count
FEWEST = 5  # steps that count
ENOUGH = 12  # steps


def rates(steps: TrainingSteps) -> list[float]:
    """Work per second for each step, in whatever unit the run logs."""
    found = column(steps, "tokens_per_s", "samples_per_s")
    if found:
        return found
    durations = column(steps, "step_s") or gaps(steps)
    return [1 / duration for duration in durations if duration > 0]


def collapsed_from(pace: Sequence[float]) -> float | None:
    """The usual pace of a run that ends below two fifths of it; None for any other run."""
    pace = pace[FIRST:]
    if len(pace) < FEWEST:
        return None
    usual = median(pace)
    return usual if pace[-1] < ONE_STEP * usual or max(pace[-2:]) < COLLAPSED * usual else None


def rule(incident: Incident) -> Iterator[Finding]:
    """Each run whose pace collapsed; else the runs that did not end so low."""
    kept = []
    found = False
    for run in incident.runs:
        pace = rates(run.steps)
        if (usual := collapsed_from(pace)) is not None:
            found = True
            yield Finding(
                run.steps.subject, (run.steps,), f"the pace fell from {usual:,.4g} to {pace[-1]:,.4g} per second"
            )
        elif len(pace) >= ENOUGH:
            kept.append(run.steps)
    if kept and not found:
        yield Finding(Subject(), tuple(kept), "the pace does not end in collapse", present=False)


SYMPTOM = Symptom(
    title="throughput collapsed in mid-run",
    rule=rule,
    leak=0.03,
    because="runs keep their pace within some tens of percent; a lasting fall by more than half is seldom chance",
    command="grep -E 'tok/s|it/s' train.log | tail -n 50",
)
