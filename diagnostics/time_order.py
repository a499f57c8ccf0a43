"""Whether a hypothesis fits the order in which things were seen: causes come before their consequences."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

from .causes import Role
from .evidence import Evidence
from .evidence.job import TrainingSteps
from .hypothesis import Hypothesis
from .incident import Incident
from .symptoms import Observation

LOOKED_LATE = timedelta(minutes=10)


class TimeOrder(StrEnum):
    """Whether a cause's first effects came before its consequences."""

    FITS = "fits"
    CONTRADICTS = "contradicts"
    UNKNOWN = "unknown"


def time_order(incident: Incident, hypothesis: Hypothesis) -> TimeOrder:
    """Compare the earliest dated initiating symptom with the earliest dated cascade.

    Some slack is given: a symptom is dated by when somebody looked, which is later than when it began.
    """
    dated: dict[Role, list[datetime]] = {role: [] for role in Role}
    for each in hypothesis.explained:
        effect = hypothesis.cause.effect(each.symptom)
        if effect and (at := first_moment(incident, each)):
            dated[effect.role].append(at)
    if not dated[Role.INITIATING] or not dated[Role.CASCADE]:
        return TimeOrder.UNKNOWN
    late = min(dated[Role.INITIATING]) - min(dated[Role.CASCADE])
    return TimeOrder.FITS if late <= LOOKED_LATE else TimeOrder.CONTRADICTS


def first_moment(incident: Incident, observation: Observation) -> datetime | None:
    """When a symptom was first seen, on the incident's axis."""
    facts = [fact for fact in observation.evidence if isinstance(fact, Evidence)]
    moments = [moment for fact in facts if (moment := _moment(incident, fact))]
    return min(moments, default=None)


def _moment(incident: Incident, fact: Evidence) -> datetime | None:
    """A fact's moment; a run's steps speak of its end, since that is when they ceased, slowed or went wrong."""
    return incident.timeline.at(fact, fact.last_stamp if isinstance(fact, TrainingSteps) else None)
