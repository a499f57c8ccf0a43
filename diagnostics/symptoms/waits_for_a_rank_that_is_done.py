"""A rank timed out in a collective after another had said that its run was done, at a step that the first had passed.

Whoever is done takes part in nothing more, so that no limit would have been long enough. A rank that is done and then
waits itself for the others, who save or evaluate, is no case of this.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.job import CollectiveTimeout, RunFinished, TrainingSteps
from ..incident import Incident
from . import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    """Each rank that was done, with one that waited for it."""
    done = {fact.subject.rank: fact for fact in incident.of(RunFinished) if fact.subject.rank is not None}
    last = {fact.subject.rank: fact.last_step for fact in incident.of(TrainingSteps) if fact.subject.rank is not None}
    waited = [(fact.subject.rank, fact) for fact in incident.of(CollectiveTimeout) if fact.subject.rank not in done]
    for rank, fact in done.items():
        ended = fact.step if fact.step is not None else last.get(rank)
        for other, timeout in waited:
            if other is not None and ended is not None and (last.get(other) or -1) > ended:
                note = f"rank {rank} was done at step {ended}; rank {other} waited for it at a later one"
                yield Finding(fact.subject, (fact, timeout), note)
                break


SYMPTOM = Symptom(
    title="ranks waited for one that was already done",
    rule=rule,
    leak=0.0008,
    because="ranks that have as many steps are done together",
    command="grep -nE 'step|done' *.log | sort -k2 | tail",
)
