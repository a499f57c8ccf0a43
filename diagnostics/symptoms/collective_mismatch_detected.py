"""The runtime itself compared what the ranks were calling and found that they disagree.

Its check of operation, shape and type (TORCH_DISTRIBUTED_DEBUG=DETAIL), or a desync report with two operations.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.job import CollectiveMismatch
from ..incident import Incident
from . import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for mismatch in incident.of(CollectiveMismatch):
        yield Finding(mismatch.subject, (mismatch,), mismatch.text[:200])


SYMPTOM = Symptom(
    title="the runtime found ranks in different collectives",
    rule=rule,
    leak=0.0005,
    because="it compares the calls themselves",
    command="TORCH_DISTRIBUTED_DEBUG=DETAIL torchrun ...",
    cost_minutes=15,
)
