"""A cloud's metrics say that a volume is held to a rate: its burst credits are used up, or it is at its limit of
operations.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.storage import IoStatistics
from ..incident import Incident
from ._symptom import Finding, Symptom

AT_LIMIT_PERCENT = 99.0


def rule(incident: Incident) -> Iterator[Finding]:
    for row in incident.of(IoStatistics):
        if row.values.get("burst_credits", 1.0) <= 0:
            yield Finding(row.subject, (row,), "its burst credits are used up: it is held to its baseline")
        elif row.values.get("io_limit_percent", 0.0) >= AT_LIMIT_PERCENT:
            yield Finding(row.subject, (row,), "it is at its limit of operations")


SYMPTOM = Symptom(
    title="a volume is held to its baseline rate",
    rule=rule,
    leak=0.001,
    because="credits come back as soon as less is asked of a volume: they are used up while somebody asks for more",
    tells_apart=("mount",),
    command="aws cloudwatch get-metric-statistics --metric-name BurstCreditBalance ...",
    cost_minutes=3,
)
