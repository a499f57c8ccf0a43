"""RDMA ends because an adapter was refused access to memory: a local protection or remote access error, not a lost
packet.

NCCL prints the verbs status as a number: 4 is IBV_WC_LOC_PROT_ERR, 9 IBV_WC_REM_INV_REQ_ERR, 10 IBV_WC_REM_ACCESS_ERR.
Retries that are exhausted (12) and requests that are flushed after another error (5) are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from ._reports import complaints
from ._symptom import Finding, Symptom

WORDS = re.compile(
    r"[Gg]ot completion .{0,160}?(?:with error |\bstatus=)(?:4|9|10)\b"
    "|IBV_WC_(?:LOC_PROT|REM_ACCESS|REM_INV_REQ)_ERR|(?:access violation|invalid request).{0,12} work queue error"
    r"|\b[Ll]ocal protection\b.{0,40}\bon (?:mlx|ib|bnxt|irdma|efa)|local protection error|remote access error"
)


def rule(incident: Incident) -> Iterator[Finding]:
    yield from complaints(incident, WORDS)


SYMPTOM = Symptom(
    title="a network adapter was refused access to memory",
    rule=rule,
    leak=0.0003,
    because="a link that loses packets ends in exhausted retries instead",
    tells_apart=("host",),
    command="NCCL_NET_GDR_LEVEL=0 for a trial; sudo lspci -vvv | grep ACSCtl; lsmod | grep -E "
    "'nvidia_peermem|nv_peer_mem'; dmesg | grep -i iommu",
    cost_minutes=5,
)
