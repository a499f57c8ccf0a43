"""Ports, links and transports: in whose words they fail, and which counters of theirs tell."""

from __future__ import annotations

import re

from ..evidence.network import PortState
from ._symptom import Finding

TABLE_FULL = re.compile(
    r"table full, dropping packet|neighbou?r.{0,60}table overflow",
    re.I,
)
RETRY_EXCEEDED = re.compile(
    r"completion.{0,120}(?:error|status)[ =:]*(?:12|IBV_WC_RETRY_EXC_ERR)\b"
    r"|(?<!RNR )\btransport retry (?:count(?:er)? )?exceeded"
    r"|(?<!RNR[ _])(?<!NOT READY )RETRY[ _]EXC(?:EEDED ERROR|_ERR)\b|InfiniBand retry count \w[\w ]{0,50} exceeded",
    re.I,
)
# [c10d] The server socket has failed to bind to [::]:29502 (errno: 98 - Address already in use).
# code: -98, name: EADDRINUSE     [LightGBM] [Fatal] Binding port 12400 failed     [Errno 98] Address already in use
IN_USE = re.compile(
    r"(?i)\baddress (?:is )?already in use\b|\bEADDRINUSE\b|\[Errno 98\]|\berrno:? 98\b|\bcode: -98\b"
    r"|\bbinding port \d{2,5} failed\b|\bport \d{2,5} (?:is )?already (?:in use|allocated|taken|bound)\b"
    r"|\b(?:WinError|error:) 10048\b"
)
NO_ADDRESS_LEFT = re.compile(r"server socket has failed to listen on any local network address")
RECEIVED_BADLY = re.compile(r"Link_?Downed|link_down", re.I)
OFTEN = 10
FILE_PORTS = re.compile(
    r":(?:111|445|988|2049|3260|3300|6789|8003|942[0-2]|24007)$|@\w{2,12}$"
)  # ports of file servers, and a Lustre server's name: they are no peers
SWITCHED_OFF = {
    "NCCL_IB_DISABLE": "1",
    "NCCL_P2P_DISABLE": "1",
    "NCCL_SHM_DISABLE": "1",
    "NCCL_NET": "Socket",
    "NCCL_NET_GDR_LEVEL": "0",
}


def is_down(port: PortState) -> Finding:
    """The finding that a port is down."""
    return Finding(port.subject, (port,), f"{port.subject.interface or 'a port'} is {port.state}")
