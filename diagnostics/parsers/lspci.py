"""`lspci`, for what it shows of a GPU that no longer answers, and of bridges that redirect its peers' requests.

    17:00.0 3D controller: NVIDIA Corporation GA100 [A100 PCIe 40GB] (rev ff)
    00:03.1 PCI bridge: Advanced Micro Devices, Inc. [AMD] Starship/Matisse GPP Bridge
            ACSCtl: SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-

A device that has left its bus reads as all ones, and so does its revision. What answers is skipped: that a device is
listed says little.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.gpu import GpuToolError
from ..evidence.job import SettingSeen
from ..text import Text
from . import Parser
from ._pci import pci_address
from ._snapshot import source

# 0000:17:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA102 [GeForce RTX 3090] [10de:2204] (rev ff)
GONE = re.compile(
    r"^\s{0,8}(?P<pci>(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (?:3D|VGA compatible|Display) controller"
    r"[^\n]{0,20}: NVIDIA [^\n]{1,200}\(rev ff\)"
)


# 00:03.1 PCI bridge: Advanced Micro Devices, Inc. [AMD] Starship/Matisse GPP Bridge
BRIDGE = re.compile(r"^(?P<pci>(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) PCI bridge")
ACS = re.compile(r"^\s{1,16}ACSCtl:\s.{0,80}\bReqRedir(?P<on>[+-])")


def read(text: Text) -> Iterator[GpuToolError | SettingSeen]:
    bridge = None
    for line in text.lines():
        if line.text[:1].isalnum():
            bridge = BRIDGE.match(line.text[:200])
        elif bridge and (acs := ACS.match(line.text[:200])):
            address = bridge["pci"] if bridge["pci"].count(":") > 1 else f"0000:{bridge['pci']}"
            yield SettingSeen(
                source=source(text, line),
                subject=Subject(pci=pci_address(address)),
                name="PCIe ACS",
                value="redirects" if acs["on"] == "+" else "off",
            )
        if found := GONE.match(line.text[:400]):
            pci = found["pci"] if found["pci"].count(":") > 1 else f"0000:{found['pci']}"
            yield GpuToolError(
                source=source(text, line),
                subject=Subject(pci=pci_address(pci)),
                severity=Severity.CRITICAL,
                about="device-lost",
                text=line.text.strip()[:300],
            )


PARSER = Parser(
    tool="lspci",
    medium="gpu",
    footprint=r"^\s{1,16}ACSCtl:\s|(3D|VGA compatible|Display) controller[^\n]{0,20}: NVIDIA [^\n]{1,200}\(rev ff\)",
    read=read,
)
