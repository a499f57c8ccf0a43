"""What several rules ask of one incident is worked out once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

from ..incident import Incident

Found = TypeVar("Found")


def once_per_incident(work_out: Callable[[Incident], Found]) -> Callable[[Incident], Found]:
    """Keep what a function gives for an incident as long as the incident lives."""
    known: WeakKeyDictionary[Incident, Found] = WeakKeyDictionary()

    @functools.wraps(work_out)
    def kept(incident: Incident) -> Found:
        if incident not in known:
            known[incident] = work_out(incident)
        return known[incident]

    return kept
