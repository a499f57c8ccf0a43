"""The job cannot listen on the port that it was given: another program, or another of its own processes, has it.

The store of a rendezvous, a server or a library says that its address is in use (errno 98), and does not go on. One
address family that is refused leaves the other; a dashboard or a server that takes the next port instead does go on;
and a port that the kernel picks itself (0, or that of a step of Slurm) is refused for other reasons.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.job import LogLine, PythonException
from ..incident import Incident
from ._network import IN_USE, NO_ADDRESS_LEFT
from ._reports import findings, said, words_of
from ._runs import went_on_after
from ._symptom import Finding, Symptom

GOES_ON = re.compile(
    r"(?i)\b(?:instead|(?:random|another|next|other|different) (?:free )?port|trying|retrying|fall(?:ing)? back)\b|:0\)"
    r"|\bstep context socket\b|\bunable to create step\b"
)


def rule(incident: Incident) -> Iterator[Finding]:
    facts: dict[int, Evidence] = {}
    for fact in said(incident, IN_USE):
        if not GOES_ON.search(words_of(fact)) and not _is_warning(fact) and not _was_caught(incident, fact):
            facts[id(fact)] = fact
    if any(said(incident, IN_USE)):
        facts |= {id(fact): fact for fact in said(incident, NO_ADDRESS_LEFT)}
    yield from findings(incident, [(fact, words_of(fact)) for fact in facts.values()])


def _is_warning(fact: Evidence) -> bool:
    return isinstance(fact, LogLine) and (fact.level == "WARNING" or "[W socket" in fact.source.quote)


def _was_caught(incident: Incident, fact: Evidence) -> bool:
    return isinstance(fact, LogLine | PythonException) and went_on_after(incident, fact)


SYMPTOM = Symptom(
    title="the port that the job wants is taken",
    rule=rule,
    leak=0.0008,
    because="a port that is picked free at the start is taken by somebody else in between only now and then",
    command="ss -ltnp 'sport = :29500'; squeue -w $(hostname)",
)
