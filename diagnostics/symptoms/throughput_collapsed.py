"""Throughput fell to less than two fifths of the run's own pace and stayed there to the end of its log.

The pace is the median over the run. The first two steps never count (they compile and fill caches). One slow last
step counts only below a quarter. ABSENT where a run of at least twelve steps did not fall so far.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..incident import Incident
from ._pace import collapsed_from, rates
from ._symptom import Finding, Symptom

ENOUGH = 12  # steps


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
