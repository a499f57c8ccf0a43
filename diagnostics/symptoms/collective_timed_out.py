"""A collective outlasted its time limit, or the watchdog of the process group gave up.

It says that some rank did not come, never which fault kept it: every rank that waited prints it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.collective import CollectiveTimeout
from ..incident import Incident
from ._odd_ones import grouped, listed, one_of_each
from ._peers import GAVE_UP
from ._reports import findings, said, words_of
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    timeouts = incident.of(CollectiveTimeout)
    if timeouts:
        groups = grouped((_call(fact), fact) for fact in timeouts)
        subject = Subject.shared_by(fact.subject for fact in timeouts)
        yield Finding(subject, one_of_each(groups), listed(groups, "gave up on"))
    yield from findings(incident, [(fact, words_of(fact)) for fact in said(incident, GAVE_UP)])


def _call(fact: CollectiveTimeout) -> str:
    limit = f" after its limit of {fact.limit_s:.0f} s" if fact.limit_s else ""
    return f"{fact.operation or 'a collective'}{limit}"


SYMPTOM = Symptom(
    title="a collective timed out",
    rule=rule,
    leak=0.1,
    because="it is how nearly every fault of a distributed job ends",
    command="grep -nE 'collective operation timeout|Timed out waiting' *.log",
)
