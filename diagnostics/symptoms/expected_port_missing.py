"""A node's health check, which was told the node's ports, finds one of them not active."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from ._reports import complaints
from ._symptom import Finding, Symptom

# Health check failed:  check_hw_ib:  No IB port mlx5_4:1 is ACTIVE (LinkUp 400 Gb/sec).
# only 1/4 required IB ports are ACTIVE
WORDS = re.compile(
    r"No IB port \S{0,40} ?is ACTIVE|check_hw_(?:ib|eth): {1,3}.{0,80}(?:not found|is not|\bNo )"
    r"|\bonly \d{1,3} ?(?:/|(?:out )?of) ?\d{1,3} (?:(?:required|expected|configured) )?"
    "(?:IB|InfiniBand|RDMA|RoCE|HCA|NIC|rail)s? ?(?:ports?|links?|devices?|adapters?)? ?(?:are |is )?"
    r"(?:ACTIVE|up|linked)\b",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    yield from complaints(incident, WORDS)


SYMPTOM = Symptom(
    title="a port that the node should have is not active",
    rule=rule,
    leak=0.0003,
    because="unlike a port that is merely shown down, this one is on the list of those that the node needs",
    tells_apart=("host",),
    command="ibstat; sudo dmesg -T | grep -iE 'mlx5|link (down|up)'",
)
