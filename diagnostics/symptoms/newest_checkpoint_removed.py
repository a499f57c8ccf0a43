"""The job removed the checkpoint that it had saved last.

By its own log: the removal of a checkpoint, with no newer one saved or begun between. Code that rotates checkpoints
keeps the newest; one that sorts names by letters takes 10000 for older than 9000. Saving again to one path, or a move
elsewhere, is no removal, and one that is not among the best, or of a trial that ended, goes by its own rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.training import CheckpointEvent
from ..incident import Incident
from ._symptom import Finding, Symptom

NEW = ("saving", "saved")
BY_MERIT = re.compile(r"\b(?:best|improv\w{1,6}|worst|top[- _]?k|prun\w{1,4}|trial|score|metric)\b", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    newest: dict[tuple[str, int | None], CheckpointEvent] = {}
    for event in incident.of(CheckpointEvent):
        key = (event.source.file, event.subject.rank)
        if event.event in NEW and event.subject.path:
            newest[key] = event
        elif event.event in ("copying", "copied"):
            newest.pop(key, None)  # it is kept elsewhere
        elif event.event == "removed" and key in newest and event.subject.path == newest[key].subject.path:
            if BY_MERIT.search(event.source.quote):
                continue
            note = f"{event.subject.path} was saved last and removed"
            yield Finding(event.subject, (newest[key], event), note)


SYMPTOM = Symptom(
    title="the newest checkpoint was removed",
    rule=rule,
    leak=0.00008,
    because="a rotation by age keeps the newest, one by merit mostly says so, and a person who cleans up does not do "
    "it through the trainer",
    command="grep -n -i -E 'sav|delet|remov' train.log | tail; ls -lt CHECKPOINTS",
)
