"""A rank's call to another is answered by the kernel or a router: there is no way to that host (EHOSTUNREACH,
ENETUNREACH).

Nobody owns the address on the wire, no route leads to it, or a packet filter rejects the call. The adapter of a fabric
may say so too, with the same number (libfabric's RC 113) or as what it could not deliver. A call that nobody answers is
a symptom of its own, and so is one that is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.collective import RemoteFailure
from ..incident import Incident
from ._peers import NO_ROUTE
from ._reports import findings
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    calls = (fact for fact in incident.of(RemoteFailure) if fact.about == "unreachable")
    yield from findings(incident, [(fact, fact.text) for fact in calls if NO_ROUTE.search(fact.text)])


SYMPTOM = Symptom(
    title="there is no route to another node",
    rule=rule,
    leak=0.0008,
    because="between nodes that reach each other the kernel never says so",
    command="ip route get ADDRESS; ping -c 3 ADDRESS; sudo iptables -L -n | grep -i reject",
    may_pass=True,
)
