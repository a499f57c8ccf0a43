"""GPU Direct RDMA is used from some hosts of a job and not from others.

NCCL logs each connection's way: "via NET/IB/0/GDRDMA" with it, "via NET/IB/1" without.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.collective import NcclMessage
from ..incident import Incident
from ._symptom import Finding, Symptom

# Channel 00/0 : 9[1a000] -> 2[6b000] [send] via NET/IB/0/GDRDMA
WAY = re.compile(r"via NET/(?:IB|AWS Libfabric|IBext\w{0,4})/\d{1,3}(?:\(\d+\))?(?P<direct>/GDRDMA)?\b")


def rule(incident: Incident) -> Iterator[Finding]:
    ways: dict[str, dict[bool, NcclMessage]] = defaultdict(dict)
    for message in incident.of(NcclMessage):
        if (way := WAY.search(message.text)) and message.subject.host:
            ways[message.subject.host].setdefault(bool(way["direct"]), message)
    direct = [facts[True] for facts in ways.values() if True in facts]
    without = [(host, facts[False]) for host, facts in ways.items() if True not in facts]
    if direct and without:
        host, fact = without[0]
        yield Finding(
            Subject(host=host), (fact, direct[0]), f"{host} sends without it, {direct[0].subject.host} with it"
        )


SYMPTOM = Symptom(
    title="GPU Direct is used on some hosts only",
    rule=rule,
    leak=0.0008,
    because="hosts of one job are set up alike",
    tells_apart=("host",),
    command="lsmod | grep -E 'nvidia_peermem|nv_peer_mem' on each host; NCCL_DEBUG=INFO torchrun ... 2>&1 | grep "
    "'via NET'",
)
