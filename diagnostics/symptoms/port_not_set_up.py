"""A port of the fabric has a link, and no subnet manager has set it up: it stays in "Initializing" or "Armed"."""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.network import PortState
from ..incident import Incident
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for port in incident.of(PortState):
        if port.state == "init" and port.fabric == "infiniband":
            yield Finding(port.subject, (port,), f"{port.subject.interface or 'a port'} is not set up")


SYMPTOM = Symptom(
    title="a port waits for its subnet manager",
    rule=rule,
    leak=0.0005,
    because="a subnet manager sets a port up within seconds",
    tells_apart=("host", "interface"),
    command="ibstat; sminfo; systemctl status opensm",
    may_pass=True,
)
