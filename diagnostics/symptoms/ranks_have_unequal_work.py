"""Ranks go through different numbers of batches in one pass.

Each batch ends in a collective, so that a rank with one more waits for ranks that are done. Or the one rank that, by
the watchdogs' counts, has made a call fewer than the others says that it skipped a sample or a batch, which no other
rank says, or has fewer micro-batches: by themselves these may differ from step to step. ABSENT where all have as many
batches.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import SettingSeen
from ..evidence.training import WorkSkipped
from ..incident import Incident
from ._ranks import behind
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    yield from _of_the_one_behind(incident)
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


def _of_the_one_behind(incident: Incident) -> Iterator[Finding]:
    """The rank that is a call behind, where its own log says that it had less to do in this step."""
    late = {fact.subject.rank: (fact, waits) for fact, waits in behind(incident)}
    skipped = incident.of(WorkSkipped)
    micro = {fact.subject.rank: fact for fact in incident.of(SettingSeen) if fact.name == "micro-batches"}
    if len(late) != 1:
        return
    ((rank, calls),) = late.items()
    if skipped and all(fact.subject.rank == rank for fact in skipped):
        note = f"rank {rank} is a call behind the others, and it alone says: {skipped[-1].text[:100]}"
        yield Finding(Subject(), (skipped[-1], *calls), note)
    counts = {each: int(fact.value) for each, fact in micro.items()}
    others = {count for each, count in counts.items() if each != rank}
    if rank in counts and others and counts[rank] < min(others):
        note = f"rank {rank} is a call behind and has {counts[rank]} micro-batches where others have {min(others)}"
        yield Finding(Subject(), (*tuple(micro.values())[:4], *calls), note)


SYMPTOM = Symptom(
    title="ranks have different numbers of batches",
    rule=rule,
    leak=0.001,
    because="samplers pad or drop what does not divide; counts that differ are met only where that is switched off",
    command="python -c 'print(len(loader))' on every rank; grep -n drop_last CONFIG",
    cost_minutes=5,
)
