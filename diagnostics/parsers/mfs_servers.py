"""MooseFS's chunkservers as its master sees them (`mfscli -SCS`, or copied from its status page).

    chunkserver 192.0.2.33:9422  load 235  errors 0
    chunkserver 192.0.2.34:9422  maintenance off  load 3  disconnected !

The load is the number of operations that wait in the server's queue: hundreds mean that its disks do not keep up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Subject
from ..evidence.storage import IoStatistics, VolumeClientMessage
from ..text import Text
from . import Parser
from ._snapshot import source

SERVER = re.compile(r"^\s*(?:chunkserver|chunk server)s?:? +([\w.-]{1,80}(?::\d{1,5})?)\b(.{0,400})$", re.IGNORECASE)
NUMBER = re.compile(r"\b(load|errors|chunks|queue)[ :=]{1,3}(\d{1,15})\b")
GONE = re.compile(r"\b(disconnected|not connected|down|unreachable)\b", re.IGNORECASE)
NAMES = {"load": "queue_length", "queue": "queue_length", "errors": "errors", "chunks": "chunks"}


def read(text: Text) -> Iterator[Evidence]:
    for line in text.lines():
        found = SERVER.match(line.text[:600])
        if not found:
            continue
        values = {NAMES[name]: float(value) for name, value in NUMBER.findall(found[2])}
        subject = Subject(server=found[1])
        if gone := GONE.search(found[2]):
            yield VolumeClientMessage(
                source=source(text, line),
                subject=subject,
                severity=Severity.WARNING,
                filesystem="moosefs",
                about="connection-lost",
                text=f"chunkserver {gone[1].lower()}",
            )
        if values:
            busy = values.get("queue_length", 0) >= 100 or values.get("errors", 0) > 0
            yield IoStatistics(
                source=source(text, line),
                subject=subject,
                severity=Severity.WARNING if busy else Severity.INFO,
                values=values,
            )


PARSER = Parser(
    tool="mfscli -SCS",
    medium="io-statistics",
    footprint=r"^[ \t]*(?i:chunk ?servers?):? +[\w.-]{1,80}(:\d{1,5})?\b.{0,400}"
    r"(\b(load|errors|chunks|queue)[ :=]|disconnected|unreachable)",
    read=read,
)
