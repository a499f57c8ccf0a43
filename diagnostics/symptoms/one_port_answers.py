"""One port of a host answers, and another one is out of reach: the host is up, and something lets only some ports
through.

A refused port is an answer: there nobody listens.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.network import Reachability
from ..incident import Incident
from ._reports import host_and_port, node_of
from ._symptom import Finding, Symptom

NO_WAY = ("unreachable", "timed-out")


def rule(incident: Incident) -> Iterator[Finding]:
    tried = [(*host_and_port(attempt), attempt) for attempt in incident.of(Reachability)]
    for host, port, attempt in tried:
        if not port or attempt.outcome not in NO_WAY:
            continue
        other = next(
            (each for name, one, each in tried if name == host and one != port and each.outcome == "answered"), None
        )
        if other is not None:
            yield Finding(node_of(attempt), (attempt, other), f"{host} answers, its port {port} does not")


SYMPTOM = Symptom(
    title="one port of a host answers and another does not",
    rule=rule,
    leak=0.002,
    because="a host that is up answers on any port, if only by refusing",
    tells_apart=("server",),
    command="nc -vz HOST 22; nc -vz HOST PORT; sudo iptables -L -n | head -40",
)
