"""A rank found that its peer had closed the connection, or that the communicator was torn down under it.

The rank that says so is a victim: the one it names ended first, for a reason to be found elsewhere, and so its own
rank and process are no part of what the finding is about.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..evidence import Evidence
from ..evidence.collective import RemoteFailure
from ..incident import Incident
from ._peers import CLOSED
from ._reports import findings, said, words_of
from ._symptom import Finding, Symptom

TOPICS = ("peer-closed", "aborted")


def rule(incident: Incident) -> Iterator[Finding]:
    failures = incident.of(RemoteFailure)
    facts: list[tuple[Evidence, str]] = [(fact, fact.text) for fact in failures if fact.about in TOPICS]
    facts += [(fact, words_of(fact)) for fact in said(incident, CLOSED)]
    yield from findings(incident, facts, lambda fact: replace(fact.subject, rank=None, pid=None))


SYMPTOM = Symptom(
    title="a peer closed its connection",
    rule=rule,
    leak=0.1,
    because="every rank that ends early leaves this behind in the others' logs",
    command="grep -nE 'closed by|reset by|remote process exited' *.log",
)
