"""Somebody looked whether a port has a listener, and saw nothing: `ss -ltn | grep PORT` and its like with an empty
answer.

    $ ss -ltn | grep 29400
    $

What such a command lists is not read: that somebody listens is how it should be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from ..evidence import Severity, Subject
from ..evidence.network import Reachability
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source

# $ ss -ltn | grep 29400      # netstat -tlnp | grep :29500      $ sudo lsof -i :29500      $ ss -ltn 'sport = :29400'
LOOKED = re.compile(
    r"^[\w.@~:/\[\] -]{0,120}?[$#] (?:sudo )?(?:(?:ss|netstat) -\S{0,12}l\S{0,12}[^|\n]{0,80}\| ?e?grep "
    r"(?:-\S{1,6} )?['\":]{0,3}(?P<grepped>\d{2,5})['\" ]{0,2}"
    r"|ss -\S{0,12}l\S{0,12} .{0,20}sport = :(?P<filtered>\d{2,5})['\"]?"
    r"|lsof .{0,40}-i ?(?:tcp)?:(?P<listed>\d{2,5}).{0,20})\s*$"
)
PROMPT = re.compile(r"^[\w.@~:/\[\] -]{0,120}?[$#](?: |$)")


def read(text: Text) -> Iterator[Reachability]:
    lines: list[Line | None] = [*text.lines(), None]
    for line, below in pairwise(lines):
        found = LOOKED.match(line.text[:300]) if line else None
        if line and found and (below is None or not below.text.strip() or PROMPT.match(below.text[:200])):
            port = next(group for group in found.groups() if group)
            yield Reachability(
                source=source(text, line),
                subject=Subject(server=f"localhost:{port}"),
                severity=Severity.WARNING,
                outcome="no-listener",
                text=line.text.strip()[:200],
            )


PARSER = Parser(
    tool="ss, netstat, lsof -i",
    medium="network",
    footprint=footprint_of(LOOKED),
    read=read,
)
