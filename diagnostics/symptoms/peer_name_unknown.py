"""The name of another node cannot be resolved, and was not when it was asked for again."""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.collective import RemoteFailure
from ..evidence.network import Reachability
from ..incident import Incident
from ._peers import NAME_UNKNOWN
from ._reports import findings, said, words_of
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    facts: list[tuple[Evidence, str]] = [
        (fact, fact.text) for fact in incident.of(RemoteFailure) if fact.about == "name"
    ]
    known = {fact.subject.server for fact in incident.of(Reachability) if fact.outcome == "answered"}
    asked = (fact for fact in incident.of(Reachability) if fact.outcome == "unknown-name")
    facts += [(fact, fact.text) for fact in asked if fact.subject.server not in known]
    yield from findings(incident, [*facts, *((fact, words_of(fact)) for fact in said(incident, NAME_UNKNOWN))])


SYMPTOM = Symptom(
    title="another node's name cannot be resolved",
    rule=rule,
    leak=0.001,
    because="names of nodes are pinned or served inside the cluster",
    command="getent hosts HOST",
    may_pass=True,
)
