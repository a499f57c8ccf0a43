"""The steps spend a large part of their time waiting for data, though data do arrive.

By the run's own data-wait column: a third of the step time or more over the last third of the run; or by the queue of its
loader, which is found empty. ABSENT where the column is logged and small, or the queue at least half full to the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean

from ..evidence import Subject
from ..evidence.job import LoaderQueue
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
    yield from _queues(incident)


def _queues(incident: Incident) -> Iterator[Finding]:
    """What the last looks at the loader's queue found."""
    queues = incident.of(LoaderQueue)
    last = queues[-max(len(queues) // 3, 1) :]
    if last and all(queue.held < 1 for queue in last):
        yield Finding(last[-1].subject, tuple(last[-3:]), "the loader's queue is empty")
    elif last and all(queue.size and queue.held >= queue.size / 2 for queue in last):
        yield Finding(Subject(), tuple(last[-3:]), "batches lie ready in the loader's queue", present=False)


SYMPTOM = Symptom(
    title="steps wait for data most of the time",
    rule=rule,
    leak=0.03,
    because="loaders are sized by guess; a third of the time is beyond what people let pass",
    command="grep -E 'data_?(wait|time)' train.log | tail -n 30",
)
