"""The runtime itself compared what the ranks were calling and found that they disagree.

Its check of operation, shape and type (TORCH_DISTRIBUTED_DEBUG=DETAIL), a report of two operations, messages of
two sizes in one gloo call, or models that differ between ranks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.collective import CollectiveMismatch
from ..incident import Incident
from ._reports import findings, said, words_of
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for mismatch in incident.of(CollectiveMismatch):
        yield Finding(mismatch.subject, (mismatch,), mismatch.text[:200])
    yield from findings(incident, [(fact, words_of(fact)) for fact in said(incident, WORDS)])


WORDS = re.compile(
    r"op\.preamble\.length <= op\.nbytes|expects same model across all ranks|Mismatched .{1,40} tensor shapes"
)

SYMPTOM = Symptom(
    title="the runtime found ranks in different collectives",
    rule=rule,
    leak=0.0005,
    because="it compares the calls themselves",
    command="TORCH_DISTRIBUTED_DEBUG=DETAIL torchrun ...",
    cost_minutes=15,
)
