"""A collective outlasted its time limit, or the watchdog of the process group gave up.

It says that some rank did not come, never which fault kept it: every rank that waited prints it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.job import CollectiveTimeout
from ..incident import Incident
from . import Finding, Symptom
from ._reports import findings, said, words_of

WORDS = re.compile(
    r"collective operation timeout|Timed out waiting \d+ ?ms for (?:send|recv)|Timeout at NCCL work"
    r"|watchdog (?:hang|got stuck|thread terminated with exception.{0,200}timeout)|communicator was aborted"
    r"|monitoredBarrier.{0,80}time|barrier timed out",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    for fact in incident.of(CollectiveTimeout):
        limit = f" after its limit of {fact.limit_s:.0f} s" if fact.limit_s else ""
        who = f"rank {fact.subject.rank}" if fact.subject.rank is not None else "a rank"
        yield Finding(fact.subject, (fact,), f"{who} gave up on {fact.operation or 'a collective'}{limit}")
    yield from findings(incident, [(fact, words_of(fact)) for fact in said(incident, WORDS)])


SYMPTOM = Symptom(
    title="a collective timed out",
    rule=rule,
    leak=0.1,
    because="it is how nearly every fault of a distributed job ends",
    command="grep -nE 'collective operation timeout|Timed out waiting' *.log",
)
