"""NVIDIA's kernel driver: Xid reports of a GPU, SXid reports of an NVSwitch, and what it says besides.

    NVRM: Xid (PCI:0000:8b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
    NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.
    NVRM: API mismatch: the client has the version 535.161.08, but
    nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 44 egress non-posted PRIV error (First)

What is skipped: the register dumps below a report, and the lines that only announce the driver's parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Subject
from ..evidence.kernel import GpuDriverMessage, SwitchXid, Xid
from ..text import Text
from . import Parser
from ._pci import pci_address
from ._sxid_catalogue import sxid_entry
from ._table import CRITICAL, FATAL, INFO, WARNING, Hit, Row, Table
from ._xid_catalogue import xid_entry

_PCI = r"[0-9A-Fa-f]{2,8}:[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2})?(?:\.[0-9A-Fa-f])?"
TABLE = Table(
    # NVRM: Xid (PCI:0000:8b:00 GPU-I:01): 13, pid=4242, name=python, Graphics SM Warp Exception
    Row(rf"NVRM: Xid \((?:PCI:)?(?P<pci>{_PCI})(?: [^)]{{1,40}})?\): (?P<code>\d{{1,4}})(?P<rest>.*)", "xid"),
    # nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 44 egress non-posted PRIV error (First)
    Row(
        rf"(?P<device>nvidia-nvswitch\d+): SXid \(PCI:(?P<pci>{_PCI})\): (?P<code>\d{{1,6}}), "
        "(?P<rest>(?:Non-fatal|Fatal).*)",
        "sxid",
    ),
    Row(r"NVRM: API mismatch", "version-mismatch", CRITICAL),
    # nvidia-nvswitch: Version mismatch, kernel version 450.80.02 user version 450.51.06
    Row(
        r"nvidia-nvswitch\d{0,3}: Version mismatch, kernel version \S{1,20} user version \S{1,20}",
        "version-mismatch",
        CRITICAL,
    ),
    Row(
        r"NVRM: (?:kernel module|this kernel module|driver) .{0,60}version .{0,40}mismatch",
        "version-mismatch",
        CRITICAL,
    ),
    Row(rf"NVRM: GPU (?:at )?(?:PCI:)?(?P<pci>{_PCI}):? .{{0,20}}[Gg]PU has fallen off the bus", "off-bus", FATAL),
    Row(r"NVRM: .{0,120}[Ff]allen off the bus", "off-bus", FATAL),
    Row(rf"NVRM: .{{0,20}}(?:GPU )?(?P<pci>{_PCI}).{{0,20}} is lost", "off-bus", FATAL),
    Row(r"NVRM: .{0,160}(?:GPU lost from the bus|NV_ERR_GPU_IS_LOST)", "off-bus", FATAL),
    # the card was pulled, or hot-plug took it for pulled
    Row(rf"NVRM: Attempting to remove device (?P<pci>{_PCI}) with non-zero usage count", "off-bus", FATAL),
    # nvidia 0000:01:00.0: Unable to change power state from D3cold to D0, device inaccessible
    Row(
        rf"\bnvidia (?P<pci>{_PCI}): Unable to change power state from \w{{1,10}} to D0, device inaccessible",
        "off-bus",
        FATAL,
    ),
    # the firmware gave the card no room in the machine's addresses
    Row(r"NVRM: This PCI I/O region assigned to your NVIDIA device is invalid", "no-window", CRITICAL),
    Row(rf"NVRM: BAR\d is 0M @ 0x0 \(PCI:(?P<pci>{_PCI})\)", "no-window", CRITICAL),
    # somebody takes the card from the driver, or its module out, and a program has it open
    Row(r"NVRM: Attempting to remove (?:minor )?device \d{1,4} with non-zero usage count", "removed-in-use", CRITICAL),
    Row(rf"NVRM: (?:GPU (?P<pci>{_PCI}): )?(?:RmInitAdapter|rm_init_adapter) failed", "init-failed", CRITICAL),
    Row(
        r"NVRM: (?:The NVIDIA probe routine failed|None of the NVIDIA .{0,30}initialized|No NVIDIA .{0,30}found)",
        "init-failed",
        CRITICAL,
    ),
    Row(rf"NVRM: (?:GPU (?P<pci>{_PCI}): )?[Ff]ailed to (?:initialize|allocate|copy vbios)", "init-failed", CRITICAL),
    Row(r"NVRM: .{0,80}(?:[Tt]imeout|timed out) .{0,20}(?:waiting for RPC|GSP)", "rpc-timeout", CRITICAL),
    # NVRM: _issueRpcAndWait: rpcRecvPoll timedout for fn 76!      ... [NV_ERR_TIMEOUT] (0x00000065) returned from
    # rpcRecvPoll @ rpc.c:124
    Row(
        r"NVRM: .{0,120}(?:[Rr]pcRecvPoll\b.{0,40}(?:timed ?out|[Tt]imeout)"
        r"|NV_ERR_TIMEOUT\b.{0,60}\b_?\w{0,10}[Rr]pc\w{0,20}|GSP RM heartbeat timed out)",
        "rpc-timeout",
        CRITICAL,
    ),
    Row(
        r"NVRM: .{0,60}(?:kgsp\w+|GSP)\b.{0,60}(?:[Ff]ail(?:ed|ure)|halted|[Tt]imeout|timed out|[Cc]rash)",
        "rpc-timeout",
        CRITICAL,
    ),
    Row(
        r"NVRM: .{0,40}(?:unexpected WPR2 already up|[Cc]annot (?:initialize|boot) GSP|cannot boot\w* riscv/gsp"
        r"|GSP.{0,20} (?:boot|init\w*) failed)",
        "rpc-timeout",
        CRITICAL,
    ),
    # the processors that start the card: FSP (its root of trust), SEC2 and its booter, PMU, each a Falcon
    # NVRM: kfspPollForQueueEmpty_IMPL: Timed out waiting for FSP command queue to be empty.
    Row(
        r"NVRM: .{0,40}\b(?:kfsp\w{1,60}|kflcn\w{1,60}|ksec2\w{1,60}|kpmu\w{1,60}|s_executeBooter\w{1,40})\b.{0,80}"
        r"(?:[Ff]ail(?:ed|ure)|[Tt]imeout|[Tt]imed out|cannot boot)",
        "rpc-timeout",
        CRITICAL,
    ),
    Row(r"NVRM: .{0,80}(?:[Uu]ncorrectable|double bit|row remap\w* failure)", "memory", CRITICAL),
    Row(r"(?:NVRM|nvidia-uvm): .{0,80}(?:[Oo]ut of memory|NV_ERR_NO_MEMORY|ECC error)", "memory", WARNING),
    Row(r"NVRM: .{0,40}(?:[Nn]vLink|NVLINK).{0,60}(?:fatal|failed to train|[Ii]nactive|link error)", "other", CRITICAL),
    Row(r"NVRM: knvlink\w{1,60}: Getting peer\d+(?:'s)? postRxDetLinkMask failed", "other", CRITICAL),
    Row(r"NVRM: .{0,40}(?:GPU recovery action changed|[Rr]eset required)", "other", WARNING),
    Row(r"NVRM: (?:loading NVIDIA UNIX|Persistence mode is deprecated|GPU Board Serial)", "other", INFO),
)
#  , pid='<unknown>', name=<unknown>, GPU has fallen off the bus.      , pid=381547
_REST = re.compile(
    r"^(?:, pid='?(?P<pid>\d+|<?unknown>?)'?)?(?:, name='?(?P<name>[^,']{1,64})'?)?(?:, )?(?P<detail>.*)$"
)
#                NVRM: fallen off the bus and is not responding to commands.    (two lines below the GPU's address)
_THE_GPU = re.compile(rf"NVRM: The NVIDIA GPU ({_PCI})")


def read(text: Text) -> Iterator[Evidence]:
    for hit in TABLE.hits(text):
        if hit.row.about == "xid":
            yield _xid(hit)
        elif hit.row.about == "sxid":
            yield _sxid(hit)
        else:
            yield _message(hit)


def _xid(hit: Hit) -> Xid:
    rest = _REST.match(hit.match["rest"])
    pid = rest["pid"] if rest and rest["pid"] and rest["pid"].isdecimal() else None
    name = rest["name"] if rest and rest["name"] and "unknown" not in rest["name"] else None
    entry = xid_entry(int(hit.match["code"]))
    return Xid(
        source=hit.log.source(hit.line),
        subject=Subject(
            host=hit.message.host,
            pci=pci_address(hit.match["pci"]),
            pid=int(pid) if pid and len(pid) < 11 else None,
            comm=name,
        ),
        stamp=hit.message.stamp,
        severity=entry.severity,
        code=int(hit.match["code"]),
        meaning=entry.meaning,
        detail=rest["detail"].strip() if rest else "",
    )


def _sxid(hit: Hit) -> SwitchXid:
    fatal = hit.match["rest"].startswith("Fatal")
    entry = sxid_entry(int(hit.match["code"]))
    return SwitchXid(
        source=hit.log.source(hit.line),
        subject=Subject(host=hit.message.host, device=hit.match["device"], pci=pci_address(hit.match["pci"])),
        stamp=hit.message.stamp,
        severity=FATAL if fatal else entry.severity,
        code=int(hit.match["code"]),
        fatal=fatal,
        meaning=entry.meaning,
        detail=hit.match["rest"].partition(", ")[2].strip(),
    )


def _message(hit: Hit) -> GpuDriverMessage:
    pci = hit.subject.pci
    if pci is None and hit.row.about == "off-bus":
        above = (_THE_GPU.search(line.text) for line in hit.log.text.before(hit.line, limit=3))
        pci = next((match[1] for match in above if match), None)
    return GpuDriverMessage(
        source=hit.log.source(hit.line),
        subject=Subject(host=hit.message.host, pci=pci_address(pci) if pci else None),
        stamp=hit.message.stamp,
        severity=hit.row.severity,
        about=hit.row.about,
        text=hit.message.message[:500],
    )


PARSER = Parser(tool="NVIDIA's kernel driver", medium="kernel-log", footprint=TABLE.footprint, read=read)
