"""`iblinkinfo`: links of an InfiniBand fabric that came up slower or narrower than they could.

    4    1[  ] ==( 4X          25.78125 Gbps Active/  LinkUp)==>      12    1[  ] "node12 HCA-1" ( Could be 53.125 Gbps)

A link that is as fast as it can be is skipped, and so are ports without a cable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.network import PortState
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._snapshot import source

LINK = re.compile(
    r"\bActive/ {1,4}LinkUp\)==> {1,12}\d{1,6} {1,8}\d{1,4}\[.{0,4}\] \""
    r"(?P<far>[\w.-]{1,80})[^\"]{0,80}\" \( {0,2}Could be (?P<best>[^)]{1,40})\)"
)


def read(text: Text) -> Iterator[PortState]:
    for line in text.lines():
        if found := LINK.search(line.text[:400]):
            yield PortState(
                source=source(text, line),
                subject=Subject(host=found["far"]),
                severity=Severity.WARNING,
                state="up",
                fabric="infiniband",
                could_be=found["best"].strip(),
            )


PARSER = Parser(tool="iblinkinfo", medium="network", footprint=footprint_of(LINK), read=read)
