"""The steps spend a large part of their time waiting for data, though data do arrive.

By the run's own data-wait column: a third of the step time or more over the last third of the run. ABSENT where the
column is logged and small.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean

from ..evidence import Subject
from ..incident import Incident
from . import Finding, Symptom
from ._runs import column, runs

LARGE = 0.33
SMALL = 0.1


def rule(incident: Incident) -> Iterator[Finding]:
    """Each run's share of data wait."""
    for run in runs(incident):
        first = 1 if (run.steps.first_step or 0) <= 1 else 0  # the first step of a run fills queues and caches
        waits = column(run.steps, "data_wait_s")[first:]
        durations = column(run.steps, "step_s")[first:]
        pace = mean(durations) if durations else run.pace_s
        if len(waits) < 2 or not pace:
            continue
        tail = waits[-max(len(waits) // 3, 2) :]
        share = mean(tail) / pace
        if share >= LARGE:
            yield Finding(run.steps.subject, (run.steps,), f"{share:.0%} of a step is spent waiting for data")
        elif share <= SMALL:
            yield Finding(Subject(), (run.steps,), f"{share:.0%} of a step is spent waiting for data", present=False)


SYMPTOM = Symptom(
    title="steps wait for data most of the time",
    rule=rule,
    leak=0.03,
    because="loaders are sized by guess; a third of the time is beyond what people let pass",
    command="grep -E 'data_?(wait|time)' train.log | tail -n 30",
)
