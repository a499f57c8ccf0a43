"""What is known of the network between ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from . import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class PortState(Evidence):
    """A network port (ibstat, ip link, ethtool, NCCL). Subject: interface, host.

        `state` is "up", "down", "off" (nobody brought it up), "init" or the tool's own word. A port that is `disabled` was
        switched off, as those are that nobody uses; a cable that fails leaves it polling. `could_be` is the rate or width that a link
    has not reached, where the tool says so.

            State: Active
    """  # noqa: E501

    state: str
    rate_gbit_s: float | None = None
    fabric: str = "ethernet"
    disabled: bool = False
    could_be: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortErrors(Evidence):
    """Error counters of a port. Subject: interface, host.

    SymbolErrorCounter:..............65535
    """

    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reachability(Evidence):
    """Somebody tried to reach a host. Subject: server.

    `outcome` is "answered", "refused", "timed-out", "unreachable", "unknown-name", "too-long" (a packet of that size),
    "small-only" (large packets are lost), "lossy" (some packets only), "no-listener" (on the host itself nobody listens
    there) or "unacknowledged" (a connection repeats what it sent).

        curl: (28) Failed to connect to 10.0.0.4 port 29500: Connection timed out
    """

    outcome: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark(Evidence):
    """A measured rate or time (nccl-tests, iperf, ib_write_bw, scaling tables). Subject: host, interface.

    `hosts` are those that took part in a measurement of several at once, `left_out` those that were kept out of one of
    all; `others` is what the rest reached, in the same unit, where it stands beside.

    8589934592 2147483648 float sum -1 91254 94.1 176.5 N/A
    """

    name: str
    value: float
    unit: str
    hosts: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    others: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RdmaDevices(Evidence):
    """A look for adapters that can do RDMA: whether any was `found`. Subject: host.

    No IB devices found
    """

    found: bool
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Firewall(Evidence):
    """A packet filter that is in force on a host, and lets in only what is listed. Subject: host.

    `allows` is the tool's own list of services and ports.

        public (active)
    """

    tool: str
    allows: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GidEntry(Evidence):
    """An address of a port for RDMA over Ethernet. Subject: interface.

    `version` is RoCE's: 1 stays within one Ethernet segment, 2 is routed. A link-local address (fe80) is not.

    mlx5_0  1       3       0000:0000:0000:0000:0000:ffff:c633:6414 198.51.100.20   v2      eth2
    """

    index: int
    address: str
    version: int
