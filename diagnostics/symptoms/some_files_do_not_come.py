"""Of one folder, one file is read and another brings not a byte: its reader hangs, or had brought nothing at its limit.

Readers are those of `operator_tool_hangs_on_volume`. One that had read a part at its limit does not count: that is
slow, and so is a sum of a large file that was not done. What a known mount says is local does not count either. Never
ABSENT: which files a cache holds is not known.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.storage import CommandOutcome
from ..incident import Incident
from ._places import on_network, place
from ._symptom import Finding, Symptom
from ._volume_calls import READERS, brought_nothing, folder_of


def rule(incident: Incident) -> Iterator[Finding]:
    readers = [each for each in incident.of(CommandOutcome) if each.subject.path and READERS.search(each.command)]
    came = {folder_of(each): each for each in readers if each.outcome == "ok"}
    for reader in readers:
        control = came.get(folder_of(reader)) if brought_nothing(reader) else None
        subject = place(incident, reader.subject.path, reader)
        if (
            control
            and control.subject.path != reader.subject.path
            and on_network(incident, subject, reader) is not False
        ):
            note = f"not a byte of {reader.subject.path} came, and {control.subject.path} did"
            yield Finding(subject, (reader, control), note[:200])


SYMPTOM = Symptom(
    title="one file of a folder is read and another does not come",
    rule=rule,
    leak=0.0005,
    because="a folder's files are served alike, but for what a cache holds already",
    tells_apart=("mount",),
    command="timeout 60 head -c 1M FILE | wc -c; timeout 60 head -c 1M ANOTHER | wc -c",
    cost_minutes=3,
)
