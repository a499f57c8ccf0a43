"""Another node does not answer: a connection, rendezvous or store that timed out.

From the job's log. A refused connection is an answer, and so is that there is no route: symptoms of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.collective import RemoteFailure
from ..evidence.job import PythonException
from ..incident import Incident
from ._peers import NO_ROUTE, UNREACHABLE
from ._reports import findings, said, words_of
from ._symptom import Finding, Symptom

# RuntimeError: Connection timed out
BARE = re.compile(r"^(?:\[Errno 110\] )?(?:Connection|Operation|connect\(\)) timed out\.?$", re.I)
RENDEZVOUS = re.compile(r"torch/distributed/(?:rendezvous|elastic/rendezvous/\w{1,40})\.py|\bTCPStore\b")
# Call to ibv_modify_qp failed with error Network is unreachable: no call, but this host's own table has no way
REFUSED = re.compile(r"ibv_modify_qp|refused|name or service|name resolution", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    facts: list[tuple[Evidence, str]] = [
        (fact, fact.text) for fact in incident.of(RemoteFailure) if fact.about == "unreachable"
    ]
    facts += [(fact, words_of(fact)) for fact in said(incident, UNREACHABLE) if not REFUSED.search(words_of(fact))]
    facts += [(error, words_of(error)) for error in incident.of(PythonException) if _at_rendezvous(error)]
    facts = [(fact, note) for fact, note in facts if not (isinstance(fact, RemoteFailure) and NO_ROUTE.search(note))]
    yield from findings(incident, facts)


def _at_rendezvous(error: PythonException) -> bool:
    """True for a bare time-out whose innermost frames open the store of a job or connect to it."""
    bare = BARE.match(error.text.strip()) is not None
    return bare and any(RENDEZVOUS.search(frame) for frame in error.frames[:2])


SYMPTOM = Symptom(
    title="another node does not answer",
    rule=rule,
    leak=0.005,
    because="a node that is up drops no packets",
    command="nc -vz HOST PORT; getent hosts HOST",
    may_pass=True,
)
