"""What the kernel says at its start of the IOMMU: whether it translates the addresses of devices.

    [    1.402217] iommu: Default domain type: Translated
    [    0.412000] iommu: Default domain type: Passthrough (set via kernel command line)

    BOOT_IMAGE=/vmlinuz-4.18.0-348 root=/dev/sda2 ro intel_iommu=on       (/proc/cmdline)

    nvidia 0000:21:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x0054 address=0xf0d80000 flags=0x0030]

The last is an access of a GPU that it refused; a device's first counts. RCCL looks at the command line itself and
says that iommu=pt
is missing. Translated is what most distributions set, and no fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source, Subject
from ..evidence.job import SettingSeen
from ..text import Text
from . import Parser
from ._kernel_log import kernel_log

# iommu: Default domain type: Translated
MODE = re.compile(r"\biommu: Default domain type: (Translated|Passthrough)")

# intel_iommu=on, without iommu=pt
COMMAND_LINE = re.compile(
    r"^(?:Kernel command line: |\S{0,80}[$#%>] ?)?(?:BOOT_IMAGE=|root=)\S.{0,2000}\b(?:intel|amd)_iommu=on\b"
)
# nvidia 0000:21:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=...      DMAR: [DMA Write] Request device [81:00.0]
# fault addr (of any device)
REFUSED = re.compile(r"\b(?:nvidia|amdgpu) (?P<pci>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2})\.\d: .{0,40}\[?IO_PAGE_FAULT\b")
MISSING = re.compile(r"\bNCCL WARN Missing \"iommu=pt\" from kernel command line")
PASSED = re.compile(r"\biommu=pt\b|\biommu\.passthrough=1\b")


def read(text: Text) -> Iterator[SettingSeen]:
    log = kernel_log(text)
    refused: set[str] = set()
    for line, message in log.matching(PARSER.pattern):
        if found := MODE.search(message.message):
            yield SettingSeen(
                source=log.source(line),
                subject=Subject(host=message.host),
                stamp=message.stamp,
                name="IOMMU",
                value=found[1].lower(),
            )
        elif (found := REFUSED.search(line.text)) and found["pci"] not in refused:
            refused.add(found["pci"])
            yield SettingSeen(
                source=log.source(line),
                subject=Subject(host=message.host, pci=found["pci"]),
                stamp=message.stamp,
                name="IOMMU",
                value="refused",
            )
    for line in text.matching(MISSING):
        yield SettingSeen(source=Source(text.name, line.number, line.quote), name="IOMMU", value="translated")
    for line in text.matching(COMMAND_LINE):
        mode = "passthrough" if PASSED.search(line.text) else "translated"
        yield SettingSeen(source=Source(text.name, line.number, line.quote), name="IOMMU", value=mode)


PARSER = Parser(
    tool="the kernel's IOMMU",
    medium="kernel-log",
    footprint=r"\biommu: Default domain type: (Translated|Passthrough)"
    r"|(?:BOOT_IMAGE=|root=)\S.{0,2000}\b(?:intel|amd)_iommu=on\b"
    r"|\b(?:nvidia|amdgpu) [0-9a-f:]{10}\.\d: .{0,40}IO_PAGE_FAULT|NCCL WARN Missing \"iommu=pt\"",
    read=read,
)
