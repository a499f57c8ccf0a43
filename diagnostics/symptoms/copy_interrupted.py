"""A copy or a save was begun and never reported done before its process ended.

The job announced it ("saving", "copying") and the next word about that run is its end by a signal. ABSENT where each
announced write was reported done.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import CheckpointEvent, Phase, ProcessEnded
from ..incident import Incident
from . import Finding, Symptom
from ._places import place

BEGUN = ("saving", "copying")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each write that was cut off; else the writes that were completed."""
    done = []
    found = False
    for event in incident.of(CheckpointEvent):
        if event.event in ("saved", "copied"):
            done.append(event)
        elif event.event in BEGUN and (end := _cut_off(incident, event)):
            found = True
            yield Finding(
                place(incident, event.subject.path), (event, end), f"{event.event} {event.subject.path} was cut off"
            )
    if done and not found:
        yield Finding(Subject(), tuple(done[-3:]), "every announced write was reported done", present=False)


def _cut_off(incident: Incident, event: CheckpointEvent) -> ProcessEnded | None:
    """The end by a signal that follows with nothing of the run in between."""
    file, line = event.source.file, event.source.line
    after = [
        fact for fact in incident.evidence
        if fact.source.file == file and fact.source.line > line and isinstance(fact, (CheckpointEvent, ProcessEnded, Phase))
    ]  # fmt: skip
    following = min(after, key=lambda fact: fact.source.line, default=None)
    return following if isinstance(following, ProcessEnded) and (following.signal or following.status is None) else None


SYMPTOM = Symptom(
    title="a copy or save was cut off in the middle",
    rule=rule,
    leak=0.005,
    because="saves take a small part of a run, so an end that falls into one by chance is rare",
    tells_apart=("mount",),
    command="tail -n 50 train.log; ls -l --full-time CHECKPOINTS",
)
