"""A collective hangs because named ranks never joined it (flight recorder, desync report, joined by rank).

Or by the watchdogs' counts a rank has all its calls behind it, and others wait in the next one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..evidence.collective import CollectiveStuck
from ..incident import Incident
from ._ranks import behind
from ._reports import findings, said, words_of
from ._symptom import Finding, Symptom

WORDS = re.compile(
    r"failed to pass monitoredBarrier|did not call into monitoredBarrier|waiting for remainder of ranks|Missing ranks:"
    r"|Stalled ranks:|Stalled (?:tensor|ops)",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    for fact in incident.of(CollectiveStuck):
        if fact.missing_ranks:
            one = fact.missing_ranks[0] if len(fact.missing_ranks) == 1 else None
            missing = ", ".join(map(str, fact.missing_ranks[:8]))
            note = f"{fact.operation or 'a collective'} #{fact.sequence}: ranks {missing} never joined"
            yield Finding(replace(fact.subject, rank=one), (fact,), note)
    for rank, waits in behind(incident):
        note = (
            f"rank {rank.subject.rank} has asked for {rank.enqueued} collectives and ended them; "
            f"rank {waits.subject.rank} waits in the next"
        )
        yield Finding(rank.subject, (rank, waits), note)
    yield from findings(incident, [(fact, words_of(fact)) for fact in said(incident, WORDS)])


SYMPTOM = Symptom(
    title="some ranks never joined a collective",
    rule=rule,
    leak=0.08,
    because="it follows from any fault of one rank, and from a disagreement between healthy ones",
    command="TORCH_NCCL_DUMP_ON_TIMEOUT=1 TORCH_NCCL_TRACE_BUFFER_SIZE=2000 torchrun ...; torchfrtrace DUMP_FOLDER",
    cost_minutes=15,
)
