"""`lspci`: GPUs and network adapters that no longer answer, adapters that can do RDMA, and bridges that redirect their
peers' requests (-vvv, also its lines of access control services alone).

    17:00.0 3D controller: NVIDIA Corporation GA100 [A100 PCIe 40GB] (rev ff)
    00:06.0 Ethernet controller: Amazon.com, Inc. Elastic Fabric Adapter (EFA)
    00:03.1 PCI bridge: Advanced Micro Devices, Inc. [AMD] Starship/Matisse GPP Bridge
            ACSCtl: SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-

A device that has left its bus reads as all ones, and so does its revision. That a GPU is listed says little.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Subject
from ..evidence.gpu import GpuToolError
from ..evidence.job import SettingSeen
from ..evidence.kernel import NetworkDeviceTrouble
from ..evidence.network import RdmaDevices
from ..text import Line, Text
from . import Parser
from ._pci import pci_address
from ._snapshot import source

# 0000:17:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA102 [GeForce RTX 3090] [10de:2204] (rev ff)
GONE = re.compile(
    r"^\s{0,8}(?P<pci>(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (?:3D|VGA compatible|Display) controller"
    r"[^\n]{0,20}: (?:NVIDIA|AMD|Advanced Micro Devices)\b[^\n]{1,200}\(rev ff\)"
)
ADAPTER = re.compile(
    r"^\s{0,8}(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] "
    r"(?:Infiniband|Ethernet|Network) controller[^\n]{0,20}: [^\n]{1,200}"
)
RDMA = re.compile(r" Infiniband controller|Elastic Fabric Adapter|\(EFA\)")
DEVICE = re.compile(r"^(?P<pci>(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (?P<kind>[A-Z][\w ]{1,40})")
ACS = re.compile(r"^\s{1,40}ACSCtl:\s.{0,80}\bReqRedir(?P<on>[+-])")


def read(text: Text) -> Iterator[Evidence]:
    device = None
    for line in text.lines():
        if line.text[:1].isalnum():
            device = DEVICE.match(line.text[:200])
        if adapter := ADAPTER.match(line.text[:400]):
            yield from _adapter(text, line, adapter[0])
        elif (acs := ACS.match(line.text[:300])) and (device is None or device["kind"].startswith("PCI bridge")):
            yield SettingSeen(
                source=source(text, line),
                subject=Subject(pci=pci_address(device["pci"])) if device else Subject(),
                name="PCIe ACS",
                value="redirects" if acs["on"] == "+" else "off",
            )
        elif found := GONE.match(line.text[:400]):
            yield GpuToolError(
                source=source(text, line),
                subject=Subject(pci=pci_address(found["pci"])),
                severity=Severity.CRITICAL,
                about="device-lost",
                text=line.text.strip()[:300],
            )


def _adapter(text: Text, line: Line, said: str) -> Iterator[Evidence]:
    if said.rstrip().endswith("(rev ff)"):
        yield NetworkDeviceTrouble(source=source(text, line), severity=Severity.CRITICAL, text=said.strip()[:300])
    elif RDMA.search(said):
        yield RdmaDevices(source=source(text, line), found=True, text=said.strip()[:300])


PARSER = Parser(
    tool="lspci",
    medium="gpu",
    footprint=r"(3D|VGA compatible|Display) controller[^\n]{0,20}: (NVIDIA|AMD|Advanced Micro Devices)\b"
    r"[^\n]{1,200}\(rev ff\)|^\s{0,8}([0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] "
    r"(Infiniband controller|(Ethernet|Network) controller[^\n]{1,220}(\(rev ff\)|\(EFA\)))|^\s{1,40}ACSCtl:\s",
    read=read,
)
