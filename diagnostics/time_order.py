"""Whether a hypothesis fits the order in which things were seen: causes come before their consequences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from .causes import Role
from .clocks import Alignment
from .evidence import Evidence, Stamp
from .evidence.training import TrainingSteps
from .hypothesis import Hypothesis
from .incident import Incident
from .observation import Observation

LOOKED_LATE_S = 600.0


class TimeOrder(StrEnum):
    """Whether a cause's first effects came before its consequences."""

    FITS = "fits"
    CONTRADICTS = "contradicts"
    UNKNOWN = "unknown"


class Seen(NamedTuple):
    """When something was seen, and how the clock that says so is tied to the calendar."""

    at: datetime
    clock: Alignment


def time_order(incident: Incident, hypothesis: Hypothesis) -> TimeOrder:
    """Compare the earliest dated initiating symptom with the earliest dated cascade.

    Some slack is given: a symptom is dated by when somebody looked, which is later than when it began. What is told by
    clocks that may be hours apart, since nothing says the zone of one of them, has no order until it is further apart.
    """
    seen: dict[Role, list[Seen]] = {role: [] for role in Role}
    for each in hypothesis.explained:
        if effect := hypothesis.cause.effect(each.symptom):
            seen[effect.role] += _seen(incident, each)
    began, followed = seen[Role.INITIATING], seen[Role.CASCADE]
    if not began or not followed:
        return TimeOrder.UNKNOWN
    alike = all(each.clock.shares_doubt(began[0].clock) for each in (*began, *followed))
    if _earliest(began, 0 if alike else 1) - _earliest(followed, 0 if alike else -1) <= LOOKED_LATE_S:
        return TimeOrder.FITS
    if _earliest(began, 0 if alike else -1) - _earliest(followed, 0 if alike else 1) > LOOKED_LATE_S:
        return TimeOrder.CONTRADICTS
    return TimeOrder.UNKNOWN


def first_moment(incident: Incident, observation: Observation) -> datetime | None:
    """When a symptom was first seen, on the incident's axis."""
    return min((each.at for each in _seen(incident, observation)), default=None)


def _seen(incident: Incident, observation: Observation) -> Iterator[Seen]:
    for fact in (each for each in observation.evidence if isinstance(each, Evidence)):
        stamp = _stamp(fact)
        clock = incident.timeline.aligned(stamp, fact.source.file) if stamp else None
        if clock and (at := incident.timeline.at(fact, stamp)):
            yield Seen(at, clock)


def _stamp(fact: Evidence) -> Stamp | None:
    """A fact's time; a run's steps speak of its end, since that is when they ceased, slowed or went wrong."""
    return (fact.last_stamp if isinstance(fact, TrainingSteps) else None) or fact.stamp


def _earliest(seen: Sequence[Seen], doubts: int) -> float:
    """The earliest of them, in seconds since the epoch, when each clock is off by so many times what it may be off."""
    return min(each.at.timestamp() + doubts * each.clock.uncertainty_s for each in seen)
