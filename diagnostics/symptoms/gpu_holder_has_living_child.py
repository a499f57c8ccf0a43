"""A defunct process still holds GPU memory, and a child of it lives.

A context that a fork or a helper inherited is released when its last holder ends, not when the trainer does.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.gpu import GpuProcess
from ..evidence.process import ProcessState
from ..incident import Incident
from ._reports import gpu_subject
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    owners = incident.of(GpuProcess)
    key_of = incident.links.key_of
    table = {key: row for row in incident.of(ProcessState) if (key := key_of(row))} if owners else {}
    for owner in owners:
        key = key_of(owner)
        row = table.get(key) if key else None
        if key is None or row is None or row.state != "Z":
            continue
        living = [
            child for (machine, _), child in table.items() if (machine, child.parent_pid) == key and child.state != "Z"
        ]
        if living:
            note = f"{row.subject.pid} is defunct, holds GPU memory, and its child {living[0].subject.pid} lives"
            yield Finding(gpu_subject(incident, owner.subject), (owner, row, living[0]), note)


SYMPTOM = Symptom(
    title="a child of a dead trainer lives on",
    rule=rule,
    leak=0.003,
    because="children normally end with the trainer or are taken over by pid 1",
    tells_apart=("host",),
    command="ps -eo pid,ppid,stat,comm --forest; sudo fuser -v /dev/nvidia*",
)
