"""Ranks timed out in the same call, by its number and its name, and had put different amounts of numbers into it.

An all-reduce, a broadcast and their like have the same size on every rank of a group. Each group counts its own calls:
where several are seen only what names its group counts, and nothing where the sends of a pipeline are seen. ABSENT
where all ranks are in one call and its sizes agree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.collective import CollectiveTimeout
from ..incident import Incident
from ._odd_ones import grouped, listed, one_of_each
from ._symptom import Finding, Symptom

OF_ONE_SIZE = frozenset("ALLREDUCE ALLREDUCE_COALESCED BROADCAST REDUCE _ALLGATHER_BASE _REDUCE_SCATTER_BASE".split())
POINT_TO_POINT = frozenset("SEND RECV COALESCED".split())


def rule(incident: Incident) -> Iterator[Finding]:
    """Each call in which the sizes differ; else the calls in which they agree."""
    facts = incident.of(CollectiveTimeout)
    groups = {fact.group for fact in facts} - {None}
    if any(fact.operation in POINT_TO_POINT for fact in facts):
        return
    calls: dict[tuple[str | None, str, int], dict[int, CollectiveTimeout]] = defaultdict(dict)
    for fact in facts:
        rank, sequence, operation = fact.subject.rank, fact.sequence, fact.operation
        if rank is None or sequence is None or fact.elements is None or operation not in OF_ONE_SIZE:
            continue
        if len(groups) < 2 or fact.group is not None:
            calls[fact.group, operation or "", sequence].setdefault(rank, fact)
    for (_, operation, sequence), by_rank in calls.items():
        if len(by_rank) > 1:
            differ = len({fact.elements for fact in by_rank.values()}) > 1
            if not differ and len(calls) > 1:
                continue
            sizes = grouped((f"{fact.elements} numbers", fact) for fact in by_rank.values())
            note = f"{operation} #{sequence}: {listed(sizes, 'with')}"
            yield Finding(Subject(), one_of_each(sizes), note, present=differ)


SYMPTOM = Symptom(
    title="one call has different sizes on different ranks",
    rule=rule,
    leak=0.001,
    because="the ranks of a group make the same call with the same size; only groups that count alike by chance look "
    "so",
    command="grep -hE 'Watchdog caught collective' *.log | grep -oE 'Rank [0-9]+|SeqNum=[0-9]+|NumelIn=[0-9]+'",
)
