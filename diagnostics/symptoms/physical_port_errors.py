"""A port counts errors of the signal itself: symbols, checksums and lost links, many of them.

At least 1,000 damaged symbols or frames, or ten lost links, in the port's own counters: what is set wrongly damages no
bits. ABSENT where such counters, not of lost links alone, were read and are zero.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.network import PortErrors
from ..incident import Incident
from ._network import OFTEN, RECEIVED_BADLY
from ._symptom import Finding, Symptom

DAMAGED = re.compile(
    r"symbol|crc|fcs|Link_?Error_?Recovery|Local_?Link_?Integrity|Port_?Rcv_?Errors|rx_pcs|^rx frame$|frame_err", re.I
)
MANY = 1000


def rule(incident: Incident) -> Iterator[Finding]:
    for port in incident.of(PortErrors):
        seen = {
            name: count for name, count in port.counts.items() if DAMAGED.search(name) or RECEIVED_BADLY.search(name)
        }
        bad = {name: count for name, count in seen.items() if count >= (OFTEN if RECEIVED_BADLY.search(name) else MANY)}
        if bad:
            note = ", ".join(f"{name}: {count}" for name, count in list(bad.items())[:4])
            yield Finding(port.subject, (port,), f"{port.subject.interface or 'a port'}: {note}")
        elif any(DAMAGED.search(name) for name in seen) and not any(seen.values()):
            yield Finding(port.subject, (port,), "the port counts no damaged frames and no lost links", present=False)


SYMPTOM = Symptom(
    title="a port counts damaged frames or lost links",
    rule=rule,
    leak=0.002,
    because="counters of other ports, or of years, are sometimes kept along; a sound link counts a handful",
    tells_apart=("host", "interface"),
    command="ibqueryerrors; perfquery -x; ethtool -S IFACE | grep -iE 'crc|symbol|link_down'",
    may_pass=True,
)
