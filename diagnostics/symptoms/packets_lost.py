"""A part of the packets to a host is lost: some answers to `ping` do not come."""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.network import Reachability
from ..incident import Incident
from ._reports import findings
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    lossy = [fact for fact in incident.of(Reachability) if fact.outcome == "lossy"]
    yield from findings(incident, [(fact, fact.text) for fact in lossy])


SYMPTOM = Symptom(
    title="packets to a node are lost",
    rule=rule,
    leak=0.001,
    because="within a cluster no packet of a ping is lost",
    tells_apart=("server",),
    command="ping -c 200 -i 0.1 HOST; ethtool -S IFACE | grep -iE 'err|drop|discard|crc'",
)
