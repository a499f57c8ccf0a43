"""The daemon that serves a volume in user space was killed for memory, and its mount is no longer connected.

Whom a kill took the kernel's report names; that the mount is dead stands in the errors of whoever used it. Other errors
of a network volume are another symptom, and so is a kill that took somebody else.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..incident import Incident
from ._places import place_of_error
from ._symptom import Finding, Symptom
from ._volume_calls import disconnected


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
