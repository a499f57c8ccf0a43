"""The facts of an incident by their kind, and what was read of each medium."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import TypeVar

from .evidence import Coverage, Evidence, ReadState

Fact = TypeVar("Fact", bound=Evidence)


class Facts:
    """All that is known, and what was read to know it.

    Parameters
    ----------
    evidence : every fact, in reading order
    coverage : what became of each artefact
    """

    def __init__(self, evidence: Sequence[Evidence], coverage: Sequence[Coverage]) -> None:
        self.evidence = tuple(evidence)
        self.coverage = tuple(coverage)

    @cached_property
    def _by_kind(self) -> dict[type[Evidence], list[Evidence]]:
        found: dict[type[Evidence], list[Evidence]] = defaultdict(list)
        for fact in self.evidence:
            found[type(fact)].append(fact)
        return found

    def of(self, *kinds: type[Fact]) -> list[Fact]:
        """The facts of the given kinds, in reading order within a kind."""
        return list(chain.from_iterable(self._by_kind.get(kind, ()) for kind in kinds))  # type: ignore[misc]

    def reads(self, *media: str) -> list[Coverage]:
        """What was read of the given media: empty when nobody looked there."""
        return [
            each for each in self.coverage if each.medium in media and each.state in (ReadState.READ, ReadState.CUT)
        ]
