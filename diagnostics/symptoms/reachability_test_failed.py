"""Somebody tried to reach a node from outside the job (nc, curl, ping, getent) and got no answer, also not to another
question. A server of files is no node of the job.

ABSENT where whoever was tried answered.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.network import Reachability
from ..incident import Incident
from ._network import FILE_PORTS
from ._reports import findings, node_of
from ._symptom import Finding, Symptom

REACHED = ("answered", "small-only")
SILENT = ("timed-out", "unreachable", "unknown-name")


def rule(incident: Incident) -> Iterator[Finding]:
    tried = [fact for fact in incident.of(Reachability) if not FILE_PORTS.search(fact.subject.server or "")]
    reached = {fact.subject.server for fact in tried if fact.outcome in REACHED}
    silent = [fact for fact in tried if fact.outcome in SILENT and fact.subject.server not in reached]
    failed = [(fact, f"{fact.subject.server or 'a node'}: {fact.outcome}") for fact in silent]
    yield from findings(incident, failed, node_of)
    answered = tuple(fact for fact in tried if fact.outcome in REACHED)
    if answered and len(answered) == len(tried):
        yield Finding(answered[0].subject, answered, "whoever was tried answered", present=False)


SYMPTOM = Symptom(
    title="a test from outside the job cannot reach a node",
    rule=rule,
    leak=0.002,
    because="a node that is up answers on the port that is asked",
    command="nc -vz HOST PORT; getent hosts HOST",
    may_pass=True,
)
