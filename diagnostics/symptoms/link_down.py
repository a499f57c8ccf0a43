"""A network port went down and did not come back, or is shown down.

A port that somebody disabled is one that nobody uses, until the job names it (see port_in_use_down).
ABSENT where ports were read and are up.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.kernel import LinkChange
from ..evidence.network import PortState
from ..incident import Incident
from ._network import is_down
from ._symptom import Finding, Symptom

DOWN = ("down", "polling", "disabled")
NOT_A_FABRIC = ("lo", "docker", "veth", "virbr", "br-", "usb", "cni", "cali", "flannel", "tunl", "dummy")


def rule(incident: Incident) -> Iterator[Finding]:
    last: dict[tuple[str | None, str | None], LinkChange] = {}
    for change in incident.of(LinkChange):
        last[change.subject.host, change.subject.interface] = change
    for change in last.values():
        found_so = change.severity is Severity.INFO  # never up since the boot: nobody uses it
        if not (change.up or found_so or _is_virtual(change.subject.interface)):
            yield Finding(
                change.subject, (change,), f"{change.subject.interface or 'a port'} went down and stayed down"
            )
    used = (port for port in incident.of(PortState) if port.state != "off")
    ports = [port for port in used if not _is_virtual(port.subject.interface) and not port.disabled]
    for port in ports:
        if port.state.lower() in DOWN:
            yield is_down(port)
    up = tuple(port for port in ports if port.state.lower() not in DOWN)
    if up and len(up) == len(ports):
        yield Finding(up[0].subject, up, f"{len(up)} ports are up", present=False)


def _is_virtual(interface: str | None) -> bool:
    return (interface or "").startswith(NOT_A_FABRIC)


SYMPTOM = Symptom(
    title="a network port is down",
    rule=rule,
    leak=0.02,
    because="servers have unused ports that are down all their lives",
    tells_apart=("host", "interface"),
    command="ip -br link; ibstat; sudo dmesg -T | grep -iE 'link (down|up)'",
)
