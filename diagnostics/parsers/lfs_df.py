"""`lfs df`: the storage targets of a Lustre volume, and `lfs check servers`.

    scratch-MDT0000_UUID  1.2T  80.0G  1.1T   7% /scratch[MDT:0]
    scratch-OST0001_UUID : inactive device
    scratch-OST0002-osc-ffff8a1: check error: Resource temporarily unavailable

A target that is inactive or does not answer is the part of the volume whose files hang.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Subject
from ..evidence.storage import DiskUsage, VolumeClientMessage
from ..footprint import footprint_of
from ..sizes import size_bytes
from ..text import Text
from . import Parser
from ._snapshot import source

# scratch-OST0001_UUID  40.0T  39.9T  0.1T  99% /scratch[OST:1]
ROW = re.compile(
    r"^([\w.-]{1,60}-(?:MDT|OST)[0-9a-f]{4})_UUID +([\d.]{1,16}[KMGTP]?) +([\d.]{1,16}[KMGTP]?) +"
    r"([\d.]{1,16}[KMGTP]?) +(\d{1,3})% (/[^\[\s]{0,1000})\[(?:MDT|OST):\d{1,6}\]"
)
# scratch-OST0001_UUID : inactive device        ... : Input/output error
DEAD = re.compile(
    r"^(?:OST[0-9a-f]{4}|[\w.-]{1,60}-(?:MDT|OST)[0-9a-f]{4})[\w.-]{0,60} ?: "
    r"(inactive device|(?:check error: )?[A-Z][a-z /]{4,60})\s*$"
)


def read(text: Text) -> Iterator[Evidence]:
    for line in text.lines():
        row = line.text[:1500]
        if found := ROW.match(row):
            target, size, used, available, percent, mount = found.groups()
            yield DiskUsage(
                source=source(text, line),
                subject=Subject(mount=mount, device=target),
                severity=Severity.CRITICAL if percent == "100" else Severity.INFO,
                size=size_bytes(size, 1024),
                used=size_bytes(used, 1024),
                available=size_bytes(available, 1024),
                used_percent=float(percent),
            )
        elif found := DEAD.match(row):
            yield VolumeClientMessage(
                source=source(text, line),
                subject=Subject(device=row.partition(":")[0].strip().removesuffix("_UUID")),
                severity=Severity.WARNING,
                filesystem="lustre",
                about="connection-lost",
                text=row.strip(),
            )


PARSER = Parser(
    tool="lfs df",
    medium="disk-usage",
    footprint=footprint_of(ROW, DEAD),
    read=read,
)
