"""`mlxlink`: what an adapter's firmware says of its link and why it is down, and the errors of the cable.

    Troubleshooting Info
    --------------------
    Recommendation                  : Bad signal integrity

    Effective Physical Errors       : 18231
    Link Down Counter               : 41

A port that somebody closed, or that has no cable, is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity
from ..evidence.kernel import NetworkDeviceTrouble
from ..evidence.network import PortErrors
from ..text import Text
from . import Parser
from ._snapshot import source

SAYS = re.compile(r"^Recommendation\s{1,40}: (.{1,200}?)\s*$")
TROUBLE = re.compile(
    "(?i)signal integrity|training failure|AN failure|logical mismatch|remote fault"
    "|cable (?:is not|compliance|code|not)"
    r"|unsupported|over ?temperature|high temperature|internal error|non-?NVIDIA|power budget"
)
COUNTER = re.compile(
    r"^(Effective Physical Errors|Link Down Counter|Link Error Recovery Counter)\s{1,40}: (\d{1,18})\s*$"
)


def read(text: Text) -> Iterator[Evidence]:
    for line in text.lines():
        row = line.text[:300]
        if (found := SAYS.match(row)) and TROUBLE.search(found[1]):
            yield NetworkDeviceTrouble(
                source=source(text, line), severity=Severity.CRITICAL, text=f"mlxlink: {found[1]}"
            )
        elif (counter := COUNTER.match(row)) and int(counter[2]):
            yield PortErrors(source=source(text, line), severity=Severity.INFO, counts={counter[1]: int(counter[2])})


PARSER = Parser(
    tool="mlxlink",
    medium="network",
    footprint=r"^Troubleshooting Info\s*$|^Recommendation\s{1,40}: "
    r"|^(Effective Physical Errors|Link Down Counter)\s{1,40}: \d",
    read=read,
)
