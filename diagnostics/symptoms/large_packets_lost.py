"""Small packets reach a host and large ones do not: somewhere on the way they are too long, and nobody says so.

A test with several sizes, or a port that counts packets which were longer than it takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.network import PortErrors, Reachability
from ..incident import Incident
from ._reports import findings
from ._symptom import Finding, Symptom

# rx_oversize_pkts_phy   rx_over_mtu   RX giants
TOO_LONG = re.compile(r"oversize|giant|over_?mtu|mtu_?exceed|too_?long", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    tested = [fact for fact in incident.of(Reachability) if fact.outcome == "small-only"]
    yield from findings(incident, [(fact, fact.text) for fact in tested])
    for port in incident.of(PortErrors):
        long = {name: count for name, count in port.counts.items() if count and TOO_LONG.search(name)}
        if long:
            note = ", ".join(f"{name}: {count}" for name, count in list(long.items())[:4])
            yield Finding(port.subject, (port,), f"{port.subject.interface or 'a port'}: {note}")


SYMPTOM = Symptom(
    title="only small packets arrive",
    rule=rule,
    leak=0.0005,
    because="a path carries packets of any size up to the MTU that both its ends have",
    command="for s in 1472 4000 8972; do ping -c 3 -W 2 -M do -s $s HOST; done; ip -br link",
)
