"""A connection of TCP sends the same packets again and again, and the other side acknowledges none.

The kernel's own view (`ss -o`, `netstat -o`). A peer that is up acknowledges what it has no room for, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.network import Reachability
from ..incident import Incident
from ._reports import findings, node_of
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    lost = [fact for fact in incident.of(Reachability) if fact.outcome == "unacknowledged"]
    yield from findings(incident, [(fact, f"to {fact.subject.server} {fact.text}") for fact in lost], node_of)


SYMPTOM = Symptom(
    title="what is sent to a peer is repeated and never acknowledged",
    rule=rule,
    leak=0.001,
    because="a host that is up and can be reached acknowledges within a second",
    command="ss -tnoi state established | grep 'timer:(on'",
)
