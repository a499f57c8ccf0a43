"""What was found about one artefact."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    COMPLETE = "complete"
    TRUNCATED = "truncated"
    ALTERED = "altered"
    STAGING = "staging"
    UNLISTED = "unlisted"  # no manifest, and a format that proves nothing
    UNREADABLE = "unreadable"


BROKEN = frozenset({State.TRUNCATED, State.ALTERED, State.UNREADABLE})


@dataclass(frozen=True)
class Finding:
    """A state, what proves it (empty when nothing does), and why in one sentence.

    `missing` is how many bytes are known to be absent; None when that cannot be known.
    """

    state: State
    because: str
    proof: str = ""
    missing: int | None = None

    @property
    def is_broken(self) -> bool:
        return self.state in BROKEN


def complete(proof: str, because: str) -> Finding:
    return Finding(State.COMPLETE, because, proof)


def truncated(because: str, missing: int | None = None) -> Finding:
    return Finding(State.TRUNCATED, because, missing=missing)


def altered(because: str) -> Finding:
    return Finding(State.ALTERED, because)


def unreadable(because: str) -> Finding:
    return Finding(State.UNREADABLE, because)


def unlisted(because: str) -> Finding:
    return Finding(State.UNLISTED, because)
