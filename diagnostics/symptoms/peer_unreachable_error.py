"""A connection to another node could not be made, or its name not be found.

Refused, no route, unknown name, a rendezvous or store that timed out, or a test of reachability with such an answer.
ABSENT where somebody tried and was answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.job import RemoteFailure
from ..evidence.network import Reachability
from ..incident import Incident
from . import Finding, Symptom
from ._reports import findings, said, words_of

WORDS = re.compile(
    r"No route to host|Name or service not known|Temporary failure in name resolution|client socket has timed out"
    r"|Call to connect .{0,80}(?:refused|timed? ?out|unreachable)|connect timeout|getaddrinfo"
    r"|Network is unreachable|Host is unreachable|RendezvousTimeoutError|RendezvousConnectionError"
    r"|failed to connect to .{0,120}(?:timed? ?out|refused|unreachable)|connection refused",
    re.I,
)
TOPICS = ("refused", "unreachable", "name")


def rule(incident: Incident) -> Iterator[Finding]:
    tried = incident.of(Reachability)
    facts: list[tuple[Evidence, str]] = [
        (fact, fact.text) for fact in incident.of(RemoteFailure) if fact.about in TOPICS
    ]
    facts += [
        (fact, f"{fact.subject.server}: {fact.outcome} {fact.text}") for fact in tried if fact.outcome != "answered"
    ]
    yield from findings(incident, [*facts, *((fact, words_of(fact)) for fact in said(incident, WORDS))])
    answered = tuple(fact for fact in tried if fact.outcome == "answered")
    if answered and len(answered) == len(tried):
        yield Finding(answered[0].subject, answered, "whoever was tried answered", present=False)


SYMPTOM = Symptom(
    title="another node could not be reached",
    rule=rule,
    leak=0.02,
    because="a rank that starts late or ends early leaves a refused connection too",
    command="nc -vz HOST PORT; getent hosts HOST",
)
