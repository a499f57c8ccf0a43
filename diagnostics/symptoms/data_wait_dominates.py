"""The steps spend a large part of their time waiting for data, though data do arrive.

By the run's own data-wait column: a third of the step time or more over the last third of the run, or over as many
steps as lie between two long waits, since the workers of a loader deliver by turns; by the means that its meters print
in brackets, which hold the steps that were not printed; by the queue of its loader, which is found empty; or a trainer
or profiler says so itself. ABSENT where the column is logged and small, or the queue at
least half full to the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import mean

from ..evidence import Subject
from ..evidence.training import LoaderQueue, TrainingSteps
from ..incident import Incident
from ._errors import matching
from ._loading import LARGE
from ._runs import column
from ._symptom import Finding, Symptom

WORDS = re.compile(r"performance bottleneck on (?:CPU|Disk)|\bprogram is (?:HIGHLY|MODERATELY) input-bound", re.I)
SMALL = 0.1
BURST = 2.0  # paces
FEWEST_AVERAGED = 20  # steps


def rule(incident: Incident) -> Iterator[Finding]:
    """Each run's share of data wait."""
    for run in incident.runs:
        if (by_means := _by_means(run.steps)) is not None:
            note = f"{by_means:.0%} of a step is spent waiting for data, by the means of the log"
            if by_means >= LARGE:
                yield Finding(run.steps.subject, (run.steps,), note)
            elif by_means <= SMALL:
                yield Finding(Subject(), (run.steps,), note, present=False)
            continue
        first = 1 if (run.steps.first_step or 0) <= 1 else 0  # the first step of a run fills queues and caches
        every = column(run.steps, "data_wait_s")
        waits, durations = every[first:], column(run.steps, "step_s")[first:]
        pace = mean(durations) if durations else run.pace_s
        if len(waits) < 2 or not pace:
            continue
        late = mean(waits[-max(len(waits) // 3, _between_bursts(every, pace), 2) :])
        apart = any(wait > step for wait, step in zip(waits, durations, strict=False))  # some count the wait apart
        share = late / (pace + late if apart else max(pace, late))
        if share >= LARGE:
            yield Finding(run.steps.subject, (run.steps,), f"{share:.0%} of a step is spent waiting for data")
        elif share <= SMALL:
            yield Finding(Subject(), (run.steps,), f"{share:.0%} of a step is spent waiting for data", present=False)
    yield from _queues(incident)
    for said in matching(incident, WORDS):
        yield Finding(said.fact.subject, (said.fact,), said.text.splitlines()[0][:160])


def _by_means(steps: TrainingSteps) -> float | None:
    """The share of waiting in the last third of a run that prints means since its first step; None without them.

    Two means tell that of the steps between: the first step's wait, which fills queues and caches, falls out.
    """
    names = ("step", "step_mean_s", "data_wait_mean_s")
    if not set(names) <= set(steps.columns):
        return None
    rows = [row for row in zip(*(steps.columns[name] for name in names), strict=False) if all(x == x for x in row)]
    if len(rows) < 2 or rows[0][0] > 1:  # a log that begins in the middle may have means since then
        return None
    (first, *means_before), (last, *means) = rows[-1 - max((len(rows) - 1) // 3, 1)], rows[-1]
    if last - first < FEWEST_AVERAGED:
        return None
    counted = 1 - rows[0][0]  # by the step's number, which begins with 0 or 1
    sums = [
        (float(now) * (last + counted), float(before) * (first + counted))
        for now, before in zip(means, means_before, strict=True)
    ]
    step_s, wait_s = (float(now - before) / float(last - first) for now, before in sums)
    if step_s <= 0:
        return None
    return max(wait_s, 0.0) / (step_s + wait_s if wait_s > step_s else step_s)


def _between_bursts(waits: Sequence[float], pace: float) -> int:
    """The most steps from one wait that is longer than steps are to the next; 0 where such waits do not come again."""
    long = [at for at, wait in enumerate(waits) if wait >= BURST * pace]
    return max((later - earlier for earlier, later in pairwise(long)), default=0)


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
