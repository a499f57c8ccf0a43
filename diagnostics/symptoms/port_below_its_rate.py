"""A port of the fabric came up slower or narrower than it can: one lane of
four, the rate of a first generation among fast ones, or `iblinkinfo` says so.

That two ports of a host differ by a factor says nothing: those of the storage are often slower.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..evidence.network import PortState
from ..incident import Incident
from ._symptom import Finding, Symptom

FRACTION = 0.11  # 10 Gbit/s, to which a link trains that fails at all other rates, beside 100 and more


def rule(incident: Incident) -> Iterator[Finding]:
    alike: dict[tuple[str, str | None], list[PortState]] = defaultdict(list)
    for port in incident.of(PortState):
        if port.could_be:
            yield Finding(port.subject, (port,), f"a link could be {port.could_be}")
        elif port.state == "up" and port.rate_gbit_s and port.fabric == "infiniband":
            alike[port.source.file, port.subject.host].append(port)
    for ports in alike.values():
        best = max(ports, key=lambda port: port.rate_gbit_s or 0.0)
        for port in ports:
            if (port.rate_gbit_s or 0.0) <= FRACTION * (best.rate_gbit_s or 0.0):
                note = (
                    f"{port.subject.interface or 'a port'} runs at {port.rate_gbit_s:.0f} Gbit/s, "
                    f"{best.subject.interface} at {best.rate_gbit_s:.0f}"
                )
                yield Finding(port.subject, (port, best), note)


SYMPTOM = Symptom(
    title="a port of the fabric is slower than it can be",
    rule=rule,
    leak=0.0005,
    because="a link trains to the best rate of both ends; storage ports of another kind are on other fabrics",
    tells_apart=("host", "interface"),
    command="ibstat | grep -E 'CA|Rate'; iblinkinfo -l | grep 'Could be'; mlxlink -d DEVICE",
)
