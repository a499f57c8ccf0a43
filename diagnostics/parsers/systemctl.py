"""`systemctl status` and `systemctl list-units`: services and whether they run.

    ● nfs-server.service - NFS server and services
         Loaded: loaded (/lib/systemd/system/nfs-server.service; enabled)
         Active: inactive (dead) since Thu 2026-04-14 14:10:37 UTC; 12min ago
    ● glusterd.service     loaded failed failed    GlusterFS, a clustered file-system server

A service that never ran has no "since". What starts just now is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.process import ServiceState
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source

# ● nfs-server.service - NFS server and services
UNIT = re.compile(r"^\s{0,4}(?:[●○×*x] ?)?([\w@.:\\-]{1,200})\.service(?: - .{0,300})?$")
#      Active: inactive (dead) since Thu 2026-04-14 14:10:37 UTC; 12min ago
ACTIVE = re.compile(r"^\s{2,12}Active: (active|inactive|failed)\b(?: \([\w: -]{1,60}\))?( since )?")
# ● glusterd.service     loaded failed failed    GlusterFS, a clustered file-system server
ROW = re.compile(
    r"^\s{0,4}(?:[●○×*x] )?\s{0,3}([\w@.:\\-]{1,200})\.service\s+(?:loaded|not-found|masked)\s+"
    r"(active|inactive|failed)\s+(\w[\w-]{1,20})\b"
)


def read(text: Text) -> Iterator[ServiceState]:
    unit: str | None = None
    for line in text.lines():
        row = line.text[:600]
        if found := ROW.match(row):
            yield _state(text, line, found[1], found[2], found[2] == "failed")
            unit = None
        elif found := UNIT.match(row):
            unit = found[1]
        elif unit and (found := ACTIVE.match(row)):
            yield _state(text, line, unit, found[1], bool(found[2]))
            unit = None


def _state(text: Text, line: Line, unit: str, state: str, ran: bool) -> ServiceState:
    return ServiceState(
        source=source(text, line),
        subject=Subject(job=unit),
        severity=Severity.INFO if state == "active" else Severity.WARNING,
        state=state,
        was_active=ran or state == "active",
    )


PARSER = Parser(
    tool="systemctl",
    medium="service-manager",
    footprint=footprint_of(ACTIVE, ROW),
    read=read,
)
