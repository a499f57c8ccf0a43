"""Ranks go through different numbers of batches in one pass.

Each batch ends in a collective, so that a rank with one more waits for ranks that are done. ABSENT where all have as
many.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import SettingSeen
from ..incident import Incident
from . import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    batches = {
        f.subject.rank: f for f in incident.of(SettingSeen) if f.name == "batches" and f.subject.rank is not None
    }
    if len(batches) < 2:
        return
    counts = {int(fact.value) for fact in batches.values()}
    facts = tuple(batches.values())[:8]
    if len(counts) > 1:
        yield Finding(Subject(), facts, f"ranks have {min(counts)} to {max(counts)} batches")
    else:
        yield Finding(Subject(), facts, f"all ranks have {min(counts)} batches", present=False)


SYMPTOM = Symptom(
    title="ranks have different numbers of batches",
    rule=rule,
    leak=0.001,
    because="samplers pad or drop what does not divide; counts that differ are met only where that is switched off",
    command="python -c 'print(len(loader))' on every rank; grep -n drop_last CONFIG",
    cost_minutes=5,
)
