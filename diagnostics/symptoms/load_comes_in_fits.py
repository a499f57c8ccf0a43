"""Loading takes ten minutes and more, and its pace varies more than tenfold on the way: pieces that come at once
between pieces that take many seconds.

From the bar of a load (weights, shards, a checkpoint, a data set) on a machine with one network mount; code that works
on the pieces would take as long for each.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.training import ProgressBar
from ..filesystems import by_filesystem
from ..incident import Incident
from ._loading import LOADS, LONG_S, SLOW_PIECE_S, VARIES
from ._places import only_network_mount
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for bar in incident.of(ProgressBar):
        mount = only_network_mount(incident, bar)
        fast, slow = bar.fastest_s or 0.0, bar.slowest_s or 0.0
        is_long = LOADS.search(bar.label) and (bar.elapsed_s or 0.0) >= LONG_S
        if mount and is_long and slow >= max(SLOW_PIECE_S, VARIES * fast):
            note = f"{bar.label}: {bar.elapsed_s:.0f} s, from {fast:.1f} to {slow:.1f} s a piece"
            yield Finding(Subject(mount=mount.subject.mount, server=mount.subject.server), (bar, mount), note)


SYMPTOM = Symptom(
    title="a load comes in fits and starts",
    rule=rule,
    leak=0.0006,
    because="pieces of one size take about as long, unless what brings them is now fast and now slow",
    tells_apart=("mount",),
    command=by_filesystem(
        "grep -a -o 'Loading.*' serve.log | tail -n 50; iostat -x 5 3",
        nfs="grep -a -o 'Loading.*' serve.log | tail -n 50; nfsiostat 5 3 MOUNT",
    ),
)
