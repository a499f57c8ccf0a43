"""Ranks timed out in different calls: another operation, or another number.

At least two ranks say in which call they gave up, and they do not agree. Jobs with several process groups do so
without a fault of their order, so this moves less than a comparison of the calls themselves. ABSENT where all
ranks that say it agree.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import CollectiveTimeout
from ..incident import Incident
from . import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    first: dict[int, CollectiveTimeout] = {}
    for fact in incident.of(CollectiveTimeout):
        if fact.subject.rank is not None and fact.operation and fact.sequence is not None:
            first.setdefault(fact.subject.rank, fact)
    calls = {(fact.operation, fact.sequence) for fact in first.values()}
    if len(first) < 2:
        return
    facts = tuple(first.values())[:8]
    said = "; ".join(f"rank {fact.subject.rank} in {fact.operation} #{fact.sequence}" for fact in facts[:4])
    yield Finding(Subject(), facts, said, present=len(calls) > 1)


SYMPTOM = Symptom(
    title="ranks timed out in different calls",
    rule=rule,
    leak=0.04,
    because="with several process groups a single stuck rank stops different calls on different ranks",
    command="grep -hE 'Watchdog caught collective' *.log | grep -oE 'Rank [0-9]+|SeqNum=[0-9]+|OpType=[A-Z_]+'",
)
