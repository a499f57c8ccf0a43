"""What the kernel says at its start of the IOMMU: whether it translates the addresses of devices.

    [    1.402217] iommu: Default domain type: Translated
    [    0.412000] iommu: Default domain type: Passthrough (set via kernel command line)

Translated is what most distributions set, and no fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import SettingSeen
from ..text import Text
from . import Parser
from ._kernel_log import kernel_log

# iommu: Default domain type: Translated
MODE = re.compile(r"\biommu: Default domain type: (Translated|Passthrough)")


def read(text: Text) -> Iterator[SettingSeen]:
    log = kernel_log(text)
    for line, message in log.matching(PARSER.pattern):
        if found := MODE.search(message.message):
            yield SettingSeen(
                source=log.source(line),
                subject=Subject(host=message.host),
                stamp=message.stamp,
                name="IOMMU",
                value=found[1].lower(),
            )


PARSER = Parser(
    tool="the kernel's IOMMU",
    medium="kernel-log",
    footprint=r"\biommu: Default domain type: (Translated|Passthrough)",
    read=read,
)
