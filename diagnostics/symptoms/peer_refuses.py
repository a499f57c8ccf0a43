"""A connection to another node is refused: the host answers and nobody listens.

Processes of one job on one host talk by sockets of their own (multiprocessing): that such a one is gone tells of no
node.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.collective import RemoteFailure
from ..evidence.job import PythonException
from ..evidence.network import Reachability
from ..incident import Incident
from ._peers import REFUSED
from ._reports import findings, said, words_of
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    facts: list[tuple[Evidence, str]] = [
        (fact, fact.text) for fact in incident.of(RemoteFailure) if fact.about == "refused"
    ]
    facts += [(fact, fact.text) for fact in incident.of(Reachability) if fact.outcome == "refused"]
    facts += [(fact, words_of(fact)) for fact in said(incident, REFUSED) if not _of_this_host(fact)]
    yield from findings(incident, facts)


def _of_this_host(fact: Evidence) -> bool:
    return isinstance(fact, PythonException) and any("multiprocessing/" in frame for frame in fact.frames)


SYMPTOM = Symptom(
    title="another node refuses the connection",
    rule=rule,
    leak=0.03,
    because="a rank that starts late or ended early leaves it too",
    command="nc -vz HOST PORT; ss -ltnp",
    may_pass=True,
)
