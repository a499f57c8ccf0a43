"""A port or adapter counts errors.

Error counters of a port that are not zero (what a host itself has dropped, or a port found too long, was damaged by no
link), or an adapter's complaint in the kernel log; that RDMA gave up is another symptom. A handful of lost links is
what a port counts over the boots of its peers. ABSENT where several counters were read and are zero.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.kernel import NetworkDeviceTrouble
from ..evidence.network import PortErrors
from ..incident import Incident
from ._network import OFTEN, RECEIVED_BADLY, TABLE_FULL
from ._symptom import Finding, Symptom

WITNESSES = 2  # counters: one that is zero says nothing of the others
HARMLESS = re.compile(
    "rcv_packets|xmit_data|unicast|multicast|vl15|xmitwait|xmit_wait|rcv_data|xmit_packets|^[rt]x[ _]dropped$"
    "|oversize|giant",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    for trouble in incident.of(NetworkDeviceTrouble):
        if TABLE_FULL.search(trouble.text) or trouble.severity is Severity.INFO:
            continue
        yield Finding(trouble.subject, (trouble,), trouble.text[:200])
    for port in incident.of(PortErrors):
        counted = {name: count for name, count in port.counts.items() if count and not HARMLESS.search(name)}
        bad = {name: count for name, count in counted.items() if count >= OFTEN or not RECEIVED_BADLY.search(name)}
        if bad:
            note = ", ".join(f"{name}: {count}" for name, count in list(bad.items())[:4])
            yield Finding(port.subject, (port,), f"{port.subject.interface or 'a port'}: {note}")
        elif len(port.counts) >= WITNESSES and not counted:
            yield Finding(port.subject, (port,), "the port's error counters are zero", present=False)


SYMPTOM = Symptom(
    title="a port counts errors",
    rule=rule,
    leak=0.01,
    because="a cable that somebody unplugged leaves counts, and a busy or hanging host has its adapter complain",
    tells_apart=("host", "interface"),
    command="ibqueryerrors; perfquery -x; ethtool -S IFACE | grep -iE 'err|drop|crc|discard'",
    may_pass=True,
)
