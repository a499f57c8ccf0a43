"""Who differs from most: ranks or processes grouped by what is seen of them, the smallest group first.

rank 4 in BROADCAST #10233; 7 ranks in ALLREDUCE #10233
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from ..evidence import Evidence

NAMED = 3  # members of a group; more are only counted
SHOWN = 4  # groups


class Group(NamedTuple):
    """Those of whom the same is seen, each with a fact that shows it."""

    what: str
    facts: tuple[Evidence, ...]

    @property
    def who(self) -> str:
        """Its members: by their ranks, else their pids."""
        for name, one, many in (("rank", "rank", "ranks"), ("pid", "process", "processes")):
            numbers = self._numbers(name)
            if len(numbers) == 1:
                return f"{one} {numbers[0]}"
            if 1 < len(numbers) <= NAMED:
                return f"{many} {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
            if numbers:
                return f"{len(numbers)} {many}"
        return "a process" if len(self.facts) == 1 else "processes"

    @property
    def size(self) -> int:
        """How many members it has; one may be seen in several facts."""
        return len(self._numbers("rank")) or len(self._numbers("pid")) or len(self.facts)

    def _numbers(self, name: str) -> list[int]:
        return sorted({number for fact in self.facts if (number := getattr(fact.subject, name)) is not None})


def grouped(told: Iterable[tuple[str, Evidence]]) -> list[Group]:
    """Groups of those of whom the same is told; of two of one size the first told comes first."""
    groups: dict[str, list[Evidence]] = defaultdict(list)
    for what, fact in told:
        groups[what].append(fact)
    return sorted((Group(what, tuple(facts)) for what, facts in groups.items()), key=lambda group: group.size)


def listed(groups: Sequence[Group], how: str = "in") -> str:
    """Who is in what, those that differ from most first: "rank 4 in BROADCAST; 7 ranks in ALLREDUCE"."""
    told = [f"{group.who} {how} {group.what}" for group in groups]
    if len(told) > SHOWN:  # the last of them are most
        told = [*told[: SHOWN - 1], f"{len(told) - SHOWN} groups more", told[-1]]
    return "; ".join(told)


def one_of_each(groups: Sequence[Group]) -> tuple[Evidence, ...]:
    """The facts of all groups, one of each first: of long lists only the beginning is shown."""
    rounds = zip_longest(*(group.facts for group in groups))
    return tuple(fact for facts in rounds for fact in facts if fact is not None)
