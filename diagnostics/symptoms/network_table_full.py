"""The kernel drops packets since a table of its network stack is full: connections, or neighbours.

Every host that has to be looked up anew is then out of reach, now and again.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.kernel import NetworkDeviceTrouble
from ..incident import Incident
from ._network import TABLE_FULL
from ._reports import findings
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    yield from findings(
        incident, [(fact, fact.text) for fact in incident.of(NetworkDeviceTrouble) if TABLE_FULL.search(fact.text)]
    )


SYMPTOM = Symptom(
    title="a full table of the kernel drops packets",
    rule=rule,
    leak=0.001,
    because="a burst of short connections of something else may fill a table",
    tells_apart=("host",),
    command="sudo dmesg -T | grep -iE 'table (full|overflow)'; sysctl net.netfilter.nf_conntrack_max "
    "net.ipv4.neigh.default.gc_thresh3",
)
