"""The event log of UFM, which manages InfiniBand fabrics: links that go and come, and cables that damage bits.

2026-03-04 07:31:02.112 [4242] [913] WARNING [Hardware] IBPort [leaf-3 / 17] [dev_id: b83f]: High symbol BER reported.
2026-03-04 07:31:22.112 [4243] [329] MINOR [Fabric_Notification] IBPort [leaf-3 / 17] [dev_id: b83f]: Link went down:
(leaf-3)17 - (n12 HCA-2)1
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity
from ..evidence.kernel import LinkChange, NetworkDeviceTrouble
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import messages

PORT = re.compile(r"\bIBPort \[(?P<port>[^\]\n]{1,80})\](?: \[[^\]\n]{1,60}\])?: (?P<said>\S.{0,300})$")
LINK = re.compile(r"Link went (?P<way>down|up)\b", re.I)
BAD = re.compile(
    r"High (?:symbol )?BER|symbol errors?\b.{0,40}(?:exceed|high)|Bad (?:cable|link)|Link is (?:degraded|unstable)",
    re.I,
)


def read(text: Text) -> Iterator[Evidence]:
    for message in messages(text, PORT):
        found = PORT.search(message.line.text[:600])
        if not found:
            continue
        known = message.facts(text, interface=found["port"].replace(" ", ""))
        if link := LINK.search(found["said"]):
            up = link["way"].lower() == "up"
            yield LinkChange(**known, severity=Severity.INFO if up else Severity.WARNING, up=up, fabric="infiniband")
        elif BAD.search(found["said"]):
            yield NetworkDeviceTrouble(**known, severity=Severity.CRITICAL, text=found["said"][:300])


PARSER = Parser(tool="UFM", medium="switch-log", footprint=footprint_of(PORT), read=read)
