"""The daemon that serves a volume in user space was killed for memory, and its mount is no longer connected.

Whom a kill took the kernel's report names; that the mount is dead stands in the errors of whoever used it. Other errors
of a network volume are another symptom, and so is a kill that took somebody else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.kernel import OomKill
from ..filesystems import CLIENTS
from ..incident import Incident
from ._errors import Said, errors
from ._places import place_of_error
from ._symptom import Finding, Symptom

NOT_CONNECTED = re.compile(r"Transport endpoint is not connected|\[Errno 107\]|Socket not connected", re.I)


def disconnected(incident: Incident) -> tuple[OomKill, list[Said]] | None:
    """The kill of such a daemon and the errors that it left behind."""
    kill = next((kill for kill in incident.of(OomKill) if (kill.subject.comm or "").lower().startswith(CLIENTS)), None)
    left = [said for said in errors(incident) if NOT_CONNECTED.search(said.text) or said.error == "ENOTCONN"]
    return (kill, left) if kill and left else None


def rule(incident: Incident) -> Iterator[Finding]:
    if found := disconnected(incident):
        kill, left = found
        for said in left[:5]:
            where = place_of_error(incident, said.fact, said.path)
            yield Finding(where, (kill, said.fact), f"{kill.subject.comm} was killed, and its mount is not connected")


SYMPTOM = Symptom(
    title="the daemon of a volume was killed for memory",
    rule=rule,
    leak=0.0003,
    because="a mount in user space ends with its daemon, and the kernel names whom it killed",
    tells_apart=("mount",),
    command="dmesg -T | grep -i 'killed process'; mount | grep fuse; ls MOUNT",
)
