"""Open MPI's boxes about nodes and processes that it cannot reach.

    A process or daemon was unable to complete a TCP connection
    to another process:
      Local host:    node01
      Remote host:   node02

What else Open MPI explains in boxes (bindings, slots, missing components) is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.collective import RemoteFailure
from ..text import Line, Text
from . import Parser
from ._snapshot import source

SAYINGS = (
    ("unreachable", re.compile(r"unable to complete a TCP connection|failed to TCP connect to a peer MPI process")),
    ("unreachable", re.compile("(?:processes are unable to reach each other"
        "|unable to reliably start one or more daemons)")),
    ("peer-closed", re.compile(r"(?:ORTE|PRTE|PRRTE|MPIRUN) has lost communication with a remote daemon")),
)  # fmt: skip
#   Remote host:   node02       Peer hostname:   node02 ([[1,1],3])       Remote daemon: [[2119,0],3] on node node04
LOCAL = re.compile(r"^\s{1,4}Local host(?:name)?:\s{1,12}([\w.-]{1,80})")
REMOTE = re.compile(
    r"^\s{1,4}(?:Remote host|Peer host(?:name)?|Remote daemon)\s{0,3}:\s{1,12}(?:\[\[[\d,\]]{1,30} on node )?"
    r"([\w.-]{1,80})"
)
BOX = 12  # lines that a box has at most below its first


def read(text: Text) -> Iterator[RemoteFailure]:
    for line in text.lines():
        row = line.text[:600]
        about = next((about for about, pattern in SAYINGS if pattern.search(row)), None)
        if about:
            box = [each.text[:200] for each in text.after(line, limit=BOX)]
            yield told(text, line, about, first(LOCAL, box), first(REMOTE, box))


def first(pattern: re.Pattern[str], box: list[str]) -> str | None:
    return next((found[1] for row in box if (found := pattern.match(row))), None)


def told(text: Text, line: Line, about: str, local: str | None, remote: str | None) -> RemoteFailure:
    return RemoteFailure(
        source=source(text, line),
        subject=Subject(host=local),
        severity=Severity.WARNING,
        about=about,
        text=line.text.strip()[:300],
        peer=remote,
    )


PARSER = Parser(
    tool="Open MPI",
    medium="collectives",
    footprint=r"unable to complete a TCP connection|failed to TCP connect to a peer MPI|are unable to reach each other"
    r"|unable to reliably start one or more daemons|has lost communication with a remote daemon",
    read=read,
)
