"""The flight recorders of several ranks compared: which ranks never joined a collective that others wait in.

In each process group the furthest collective that some rank waits in is the frontier. A rank that has not
asked for it, or whose device has not finished the ones before it, is missing. A rank that is missing in one
group because it waits in another, which lacks somebody itself, is a victim and is not named; when every rank
that is missing is excused in this way they wait for each other, and all are named. A group that only repeats
what another shows is left out.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .evidence import Evidence, Severity, Subject
from .evidence.collective import CollectiveMismatch, CollectiveProgress, CollectiveStuck


@dataclass
class Group:
    """One process group as all its dumps show it, at its frontier."""

    name: str
    progress: dict[int, CollectiveProgress]
    frontier: int
    waiting: set[int] = field(default_factory=set)
    missing: set[int] = field(default_factory=set)
    undumped: set[int] = field(default_factory=set)

    @property
    def witness(self) -> CollectiveProgress:
        """What the lowest rank that waits shows."""
        return self.progress[min(self.waiting, key=lambda rank: (self.progress[rank].operation is None, rank))]


def derived(evidence: Iterable[Evidence]) -> list[Evidence]:
    """The facts that only a comparison of several ranks' dumps can show."""
    found: list[Evidence] = []
    for run in runs(fact for fact in evidence if isinstance(fact, CollectiveProgress)):
        groups = stuck_groups(run)
        for group in groups:
            found += mismatches(group)
        found += tell(blamed(groups))
    return found


def runs(facts: Iterable[CollectiveProgress]) -> list[list[CollectiveProgress]]:
    """The facts by the folder of their dump: two folders are two runs, unless every rank has a folder of its own."""
    folders: dict[str, list[CollectiveProgress]] = defaultdict(list)
    for fact in facts:
        folders[posixpath.dirname(fact.source.file)].append(fact)
    alone = [members for members in folders.values() if len({fact.source.file for fact in members}) == 1]
    return [*(run for run in folders.values() if run not in alone), [fact for run in alone for fact in run]]


def stuck_groups(facts: Iterable[CollectiveProgress]) -> list[Group]:
    """The groups in which some rank waits; one that only one dump shows cannot be compared."""
    by_group: dict[str, dict[int, CollectiveProgress]] = defaultdict(dict)
    for fact in facts:
        if fact.group is not None and fact.subject.rank is not None:
            by_group[fact.group][fact.subject.rank] = fact
    found = []
    for name, progress in by_group.items():
        frontiers = [
            fact.completed + 1
            for fact in progress.values()
            if fact.operation and fact.completed is not None and (fact.enqueued or 0) > fact.completed
        ]
        if len(progress) > 1 and frontiers:
            found.append(at_frontier(name, progress, max(frontiers)))
    return found


def at_frontier(name: str, progress: dict[int, CollectiveProgress], frontier: int) -> Group:
    """Who waits at the frontier, and who is not there."""
    group = Group(name, progress, frontier)
    for rank, fact in progress.items():
        reached = fact.completed is not None and fact.completed >= frontier - 1
        joined = reached and fact.enqueued is not None and fact.enqueued >= frontier
        (group.waiting if joined else group.missing).add(rank)
    members = {rank for fact in progress.values() for rank in fact.ranks}
    group.undumped = members - set(progress)
    return group


def blamed(groups: list[Group]) -> list[Group]:
    """The groups that lack a rank, without the ranks that only wait elsewhere and without repetitions."""
    # a few dumps of many are a poor collection, not many dead ranks
    few = [
        group
        for group in groups
        if group.undumped and len(group.undumped) * 4 <= len(group.undumped | set(group.progress))
    ]
    lacking = [group for group in groups if group.missing or group in few]
    culprits = {rank for group in lacking for rank in group.missing if not is_victim(rank, group, lacking)}
    named = [(group, group.missing & culprits if culprits else group.missing) for group in lacking]
    found: list[Group] = []
    # the group that lacks most tells most; of equals the one that stands longest
    for group, missing in sorted(named, key=lambda pair: (-len(pair[1]), -(pair[0].witness.age_s or 0.0))):
        absent = missing or (set() if culprits else group.undumped)
        if absent and not any(absent <= other.missing for other in found):
            group.missing = absent
            found.append(group)
    return found


def is_victim(rank: int, absent_from: Group, lacking: list[Group]) -> bool:
    """True when a rank is absent because it waits in another group that lacks somebody.

    Where another rank waits in that same group and joined this one all the same, waiting there is no excuse: a
    collective is asked for in advance of its turn on the device.
    """
    return any(
        rank in other.waiting and not other.waiting & absent_from.waiting
        for other in lacking
        if other is not absent_from
    )


def tell(groups: list[Group]) -> Iterator[CollectiveStuck]:
    for group in groups:
        witness = group.witness
        missing = tuple(sorted(group.missing))
        undumped = group.missing <= group.undumped
        yield CollectiveStuck(
            source=witness.source,
            subject=Subject(rank=missing[0] if len(missing) == 1 else None),
            severity=Severity.CRITICAL,
            operation=witness.operation,
            sequence=group.frontier,
            group=witness.description or witness.group,
            missing_ranks=missing,
            joined_ranks=tuple(sorted(group.waiting)),
            state="no dump" if undumped else witness.state,
            frames=witness.frames,
        )


def mismatches(group: Group) -> Iterator[CollectiveMismatch]:
    """Different operations, or sizes that must agree, under one sequence number."""
    calls = {rank: fact.calls[group.frontier] for rank, fact in group.progress.items() if group.frontier in fact.calls}
    if len(set(calls.values())) < 2:
        return
    shown = "; ".join(f"rank {rank}: {call}" for rank, call in sorted(calls.items())[:8])
    witness = group.progress[min(calls)]
    yield CollectiveMismatch(
        source=witness.source,
        severity=Severity.CRITICAL,
        text=f"collective {group.frontier} of {witness.description or witness.group} differs between ranks: {shown}",
        calls={str(rank): call for rank, call in sorted(calls.items())},
    )
