"""One file gives another checksum each time that it is read, and nobody wrote to it in between.

What was cut or written wrong reads alike each time; what changes between two readings is lost on the way: in the memory
of the host, in its cache, on the link or in a filesystem that gives out what nobody wrote.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.storage import ChecksumVerdict
from ..incident import Incident
from ._places import place
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for verdict in incident.of(ChecksumVerdict):
        path = verdict.subject.path
        if verdict.outcome == "differs" and path and verdict.against == path:
            yield Finding(
                place(incident, path, verdict), (verdict,), f"{path} gave another checksum when it was read again"
            )


SYMPTOM = Symptom(
    title="one file gives another checksum each time",
    rule=rule,
    leak=0.0005,
    because="a file that nobody writes to reads alike, unless its bytes are lost on the way",
    tells_apart=("path",),
    command="for i in 1 2 3; do echo 3 > /proc/sys/vm/drop_caches; md5sum FILE; done",
)
