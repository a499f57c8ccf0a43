"""Network ports in the kernel log: up, down, and adapters in trouble.

    mlx5_core 0000:a1:00.0 ib0: Link down
    igb 0000:01:00.0 eno1: NIC Link is Up 1000 Mbps Full Duplex
    bond0: (slave eth1): link status definitely down, disabling slave
    NETDEV WATCHDOG: eth0 (i40e): transmit queue 3 timed out
    igb 0000:02:00.1 enp2s0f1: Detected Tx Unit Hang

The ports of containers (veth, bridges) come and go: theirs are skipped. While a machine boots, "down" and "unplugged"
are the state in which its drivers find a port, and no loss: info.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.kernel import LinkChange, NetworkDeviceTrouble
from ..text import Text
from . import Parser
from ._table import CRITICAL, INFO, WARNING, Hit, Row, Table

_PORT = r"(?P<interface>[A-Za-z][\w.@-]{1,31})"
_SECOND = _PORT.replace("interface", "interface2")
_DOWN = r"(?:[Ll]ink [Dd]own|[Ll]ink is [Dd]own|LINK DOWN|[Ll]ink is DOWN|[Ll]ink not ready|[Ll]ink is now down)"
_UP = r"(?:[Ll]ink up\b|[Ll]ink Up\b|[Ll]ink is up\b|[Ll]ink is Up\b|LINK UP\b|[Ll]ink is now up)"
_PCI = r"(?P<pci>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})\.[0-7]"
# what drivers call an adapter that takes packets and does not send them
_SENDS_NOTHING = (
    r"(?:Detected (?:Tx|TX|Hardware) Unit Hang|[Tt]x [Hh]ang (?:\d{1,4} )?detected|Hung TX queue"
    "|tx_timeout(?: recovery level|: VSI)"
    r"|Reset adapter unexpectedly|initiating reset due to tx timeout|rtl_txhang_cond|TX timeout (?:detected|on queue)"
    r"|Keep alive watchdog timeout)"
)
TABLE = Table(
    Row(rf"{_PCI}(?: {_PORT})?:? (?:{_SECOND}:? ){{0,3}}(?:NIC )?{_DOWN}", "down", WARNING),
    Row(rf"{_PCI}(?: {_PORT})?:? (?:{_SECOND}:? ){{0,3}}(?:NIC )?{_UP}", "up", INFO),
    Row(rf"\b{_PORT}: (?:NIC )?{_DOWN}", "down", WARNING),
    Row(rf"\b{_PORT}: (?:NIC )?{_UP}", "up", INFO),
    Row(rf"\b{_PORT}: (?:Lost carrier|carrier lost|Lost link)", "down", WARNING),
    Row(rf"\b{_PORT}: (?:Gained carrier|carrier acquired)", "up", INFO),
    Row(rf"(?:link status (?:definitely )?down for interface {_PORT}|\(slave {_SECOND}\): link status definitely down)",
        "down", WARNING),
    Row(rf"(?:link status (?:definitely )?up (?:again )?for interface {_PORT}"
        rf"|\(slave {_SECOND}\): link status definitely up)",
        "up", INFO),
    # mlx5_0: Port: 1 Link DOWN      infiniband mlx5_0: port 1 state changed from ACTIVE to DOWN
    Row(r"(?P<interface>(?:mlx\d|mlx5_bond|hfi1|qib|irdma|efa|bnxt_re)_?\d*):? .{0,20}[Pp]ort:? ?\d+ .{0,40}"
        "(?:Link DOWN|[Ll]ink down|to (?:DOWN|INIT|Polling))", "down", WARNING),
    Row(r"(?P<interface>(?:mlx\d|mlx5_bond|hfi1|qib|irdma|efa|bnxt_re)_?\d*):? .{0,20}[Pp]ort:? ?\d+ .{0,40}"
        "(?:Link ACTIVE|[Ll]ink up|to ACTIVE)", "up", INFO),
    Row(rf"(?:^|\] |: )(?!amdgpu|nvidia|nvme)\w{{2,20}} {_PCI}(?:,? {_PORT}(?=:))?.{{0,60}}{_SENDS_NOTHING}",
        "trouble", CRITICAL),
    # ice 0000:18:00.0 ens1f0: NETDEV WATCHDOG: CPU: 28: transmit queue 21 timed out 5580 ms
    Row(rf"\b{_PORT}: NETDEV WATCHDOG: (?:CPU: \d+: )?transmit queue \d{{1,4}} timed out", "trouble", CRITICAL),
    Row(rf"NETDEV WATCHDOG: (?:CPU: \d+: )?{_PORT} .{{0,40}}timed out", "trouble", CRITICAL),
    Row(rf"mlx\d_core {_PCI}.{{0,120}}Cable unplugged", "unplugged", CRITICAL),
    Row(rf"mlx\d_core {_PCI}.{{0,120}}(?:Cable error|Bad or unsupported cable|[Uu]nknown error)", "trouble", CRITICAL),
    Row(rf"mlx\d_core {_PCI}.{{0,60}}(?:health compromised|handling bad device|[Ff]atal error"
        "|synd(?:rome)? 0x[1-9a-f]|device is in error|PCI slot is unavailable|internal error)", "trouble", CRITICAL),
    Row(rf"mlx\d_core {_PCI}.{{0,80}}(?:timeout\. Will cause a leak|TX timeout|timed out"
        r"|Firmware over \d+ MS in (?:pre-)?initializing state, aborting)", "trouble", CRITICAL),
    Row(rf"(?:^|\] |: )(?!amdgpu|nvidia|nvme)\w{{2,20}} {_PCI}.{{0,60}}"
        "(?:[Aa]dapter removed|PCIe link lost|reset adapter|Hardware Error)", "trouble", CRITICAL),
    # ixgbe 0000:5d:00.1 eno6: Received ECC Err, initiating reset      be2net 0000:04:00.0: Unrecoverable Error detected
    # in the Adapter
    Row(rf"(?:^|\] |: )\w{{2,20}} {_PCI}(?:: {_PORT}| {_SECOND})?: "
        "(?:Received (?:unrecoverable )?ECC Err|(?:Unr|R)ecoverable Error detected in the [Aa]dapter"
        rf"|.{{0,40}}\b[Pp]arity error)", "trouble", CRITICAL),
    # bnx2x: [bnx2x_attn_int_deasserted4:4321(eth0)]Parity errors detected in blocks: BRB
    Row(rf"bnx2x: \[\w{{1,60}}:\d{{1,6}}\({_PORT}\)\](?:Parity errors detected|(?:MC|Driver) assert)",
        "trouble", CRITICAL),
    Row(rf"\w{{2,20}} {_PCI} {_PORT}: .{{0,40}}(?:transmit timed out|TX timeout|Firmware fatal|firmware error)",
        "trouble", CRITICAL),
    Row(r"nf_conntrack: (?:nf_conntrack: )?table full, dropping packet|neighbou?r: .{0,40}table overflow",
        "trouble", WARNING),
)  # fmt: skip
_OF_CONTAINERS = re.compile(r"^(?:veth|cali|cni|docker|br-|virbr|tap|tun|flannel|vxlan|lxc|nic-|lo$|cilium|dummy|wlan)")
_INFINIBAND = re.compile(r"^(?:ib|mlx|hfi|qib|opa)")


def read(text: Text) -> Iterator[Evidence]:
    seen_up: set[str | None] = set()
    for hit in TABLE.hits(text):
        named = hit.match.groupdict()
        interface = named.get("interface") or named.get("interface2")
        if interface and _OF_CONTAINERS.match(interface):
            continue
        subject = dataclasses.replace(hit.subject, interface=interface)
        source, stamp = hit.log.source(hit.line), hit.message.stamp
        port = interface or subject.pci
        if hit.row.about == "up":
            seen_up.add(port)
        severity = INFO if port not in seen_up and _is_found_so(hit) else hit.row.severity
        if hit.row.about in ("trouble", "unplugged"):
            yield NetworkDeviceTrouble(
                source=source, subject=subject, stamp=stamp, severity=severity, text=hit.message.message[:500]
            )
        else:
            yield LinkChange(
                source=source,
                subject=subject,
                stamp=stamp,
                severity=severity,
                up=hit.row.about == "up",
                fabric="infiniband" if _INFINIBAND.match(interface or "") else "ethernet",
            )


def _is_found_so(hit: Hit) -> bool:
    """True when the port has no link yet because the machine is still booting."""
    return hit.row.about in ("down", "unplugged") and hit.log.is_booting(hit.line, hit.message)


PARSER = Parser(tool="the kernel's network drivers", medium="kernel-log", footprint=TABLE.footprint, read=read)
