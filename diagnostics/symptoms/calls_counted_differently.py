"""One rank has completed collectives of a group that come after the one in which another rank of the group timed out.

A collective that one rank has finished was joined by all. Two or more finished after it mean that the ranks do not
count the same calls: some of them skip one, or make one more. By the watchdogs' own words (the call it timed out at,
the last one completed), within one process group.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.collective import CollectiveTimeout
from ..incident import Incident
from ._symptom import Finding, Symptom

AHEAD = 2  # the last call may be over on one rank and not yet on another


def rule(incident: Incident) -> Iterator[Finding]:
    """Each group whose ranks are too far apart; else the groups whose ranks are in step."""
    groups: dict[str, dict[int, CollectiveTimeout]] = defaultdict(dict)
    for fact in incident.of(CollectiveTimeout):
        if fact.group is not None and fact.subject.rank is not None and None not in (fact.sequence, fact.completed):
            groups[fact.group].setdefault(fact.subject.rank, fact)
    for group, by_rank in groups.items():
        behind = min(by_rank.values(), key=lambda fact: fact.sequence or 0)
        ahead = max(by_rank.values(), key=lambda fact: fact.completed or 0)
        if len(by_rank) < 2:
            continue
        apart = (ahead.completed or 0) - (behind.sequence or 0) >= AHEAD
        note = (
            f"in group {group} rank {ahead.subject.rank} has completed {ahead.completed}, "
            f"rank {behind.subject.rank} timed out in {behind.sequence}"
        )
        yield Finding(Subject(), (behind, ahead), note, present=apart)


SYMPTOM = Symptom(
    title="ranks of one group count their collectives differently",
    rule=rule,
    leak=0.001,
    because="a group has one order of calls, and no rank can complete one that another has not joined",
    command="grep -hE 'last completed NCCL work' *.log | sort -u",
)
