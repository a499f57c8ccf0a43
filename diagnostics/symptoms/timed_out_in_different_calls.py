"""Ranks timed out in different calls: another operation, or another number.

At least two ranks say in which call they gave up, and they do not agree. Jobs with several process groups do so
without a fault of their order, so this moves less than a comparison of the calls themselves. ABSENT where all
ranks that say it agree.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.collective import CollectiveTimeout
from ..incident import Incident
from ._odd_ones import grouped, listed, one_of_each
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    first: dict[int, CollectiveTimeout] = {}
    for fact in incident.of(CollectiveTimeout):
        if fact.subject.rank is not None and fact.operation and fact.sequence is not None:
            first.setdefault(fact.subject.rank, fact)
    if len(first) < 2:
        return
    groups = grouped((f"{fact.operation} #{fact.sequence}", fact) for fact in first.values())
    yield Finding(Subject(), one_of_each(groups), listed(groups), present=len(groups) > 1)


SYMPTOM = Symptom(
    title="ranks timed out in different calls",
    rule=rule,
    leak=0.04,
    because="with several process groups a single stuck rank stops different calls on different ranks",
    command="grep -hE 'Watchdog caught collective' *.log | grep -oE 'Rank [0-9]+|SeqNum=[0-9]+|OpType=[A-Z_]+'",
)
