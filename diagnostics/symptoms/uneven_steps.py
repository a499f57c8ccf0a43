"""One rank came to the end of its loop, or counts further, while another still waits for it in a step.

A rank says that it is done and no other rank says so although the run then waited or failed; or the ranks' last
logged steps differ by more than one, and by more than the steps that each of them passes over between two lines.
Ranks that average gradients cannot be far apart: where one log ends and the other goes on through many more lines, the
first is an excerpt, which says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from ..evidence import Evidence
from ..evidence.collective import CollectiveTimeout, RemoteFailure
from ..evidence.training import RunFinished, TrainingSteps
from ..incident import Incident
from ._peers import GAVE_UP
from ._reports import said
from ._symptom import Finding, Symptom

FAR = 10  # lines of a log


def rule(incident: Incident) -> Iterator[Finding]:
    steps = [fact for fact in incident.of(TrainingSteps) if fact.subject.rank is not None]
    ranks = {fact.subject.rank for fact in steps}
    trouble: list[Evidence] = [*incident.of(CollectiveTimeout, RemoteFailure), *said(incident, GAVE_UP)]
    done = [fact for fact in incident.of(RunFinished) if fact.subject.rank is not None]
    if done and trouble and len({fact.subject.rank for fact in done}) < len(ranks):
        for fact in done:
            yield Finding(fact.subject, (fact, trouble[0]), f"rank {fact.subject.rank} was done, the others were not")
    last = {fact.subject.rank: (fact.last_step, fact) for fact in steps if fact.last_step is not None}
    counted = sorted(step for step, _ in last.values() if step is not None)
    facts = tuple(fact for _, fact in last.values())
    apart = counted[-1] - counted[0] if counted else 0
    between = max((_between_lines(fact) for fact in facts), default=1)
    if len(counted) > 1 and apart > max(1, between):
        if apart > FAR * between:
            return
        yield Finding(facts[0].subject, facts[:8], f"last steps differ: {counted[0]} to {counted[-1]}")
    elif len(counted) > 1 and not done:
        yield Finding(facts[0].subject, facts[:8], "all ranks stopped at the same step", present=False)


def _between_lines(steps: TrainingSteps) -> float:
    """How many steps a rank goes from one line of its log to the next."""
    logged = [step for step in steps.columns.get("step", ()) if step == step]
    return median(abs(b - a) for a, b in pairwise(logged)) if len(logged) > 1 else 1


SYMPTOM = Symptom(
    title="one rank ran out of work before the others",
    rule=rule,
    leak=0.02,
    because="ranks that average gradients leave a step together",
    command="grep -nE 'step|done' *.log | sort -k2 | tail",
)
