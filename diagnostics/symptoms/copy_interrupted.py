"""A copy or a save was begun and never reported done before its process ended.

The job announced it ("saving", "copying") and the next word about that run is its end by a signal. ABSENT where each
announced write was reported done.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..evidence import Evidence, Subject
from ..evidence.job import CheckpointEvent, Phase, ProcessEnded
from ..incident import Incident
from . import Finding, Symptom
from ._places import place
from ._runs import job_ends

BEGUN = ("saving", "copying")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each write that was cut off; else the writes that were completed."""
    logs: dict[str, list[Evidence]] = defaultdict(list)
    kinds: list[Evidence] = [*incident.of(CheckpointEvent), *incident.of(Phase), *job_ends(incident)]
    for fact in kinds:
        logs[fact.source.file].append(fact)
    found = False
    for facts in logs.values():
        facts.sort(key=lambda fact: fact.source.line)
        for finding in _cut_off(incident, facts):
            found = True
            yield finding
    done = [event for event in incident.of(CheckpointEvent) if event.event in ("saved", "copied")]
    if done and not found:
        yield Finding(Subject(), tuple(done[-3:]), "every announced write was reported done", present=False)


def _cut_off(incident: Incident, facts: Sequence[Evidence]) -> Iterator[Finding]:
    """The writes of one log that an end by a signal follows with nothing of the run in between."""
    for event, after in itertools.pairwise(_by_line(facts)):
        end = next((fact for fact in after if isinstance(fact, ProcessEnded)), None)
        begun = next((fact for fact in event if isinstance(fact, CheckpointEvent) and fact.event in BEGUN), None)
        if begun and end and (end.signal or end.status is None):
            subject = place(incident, begun.subject.path)
            yield Finding(subject, (begun, end), f"{begun.event} {begun.subject.path} was cut off")


def _by_line(facts: Sequence[Evidence]) -> Iterator[list[Evidence]]:
    """A line about a checkpoint is a phase too: facts of one line together."""
    for _, group in itertools.groupby(facts, key=lambda fact: fact.source.line):
        yield list(group)


SYMPTOM = Symptom(
    title="a copy or save was cut off in the middle",
    rule=rule,
    leak=0.005,
    because="saves take a small part of a run, so an end that falls into one by chance is rare",
    tells_apart=("mount",),
    command="tail -n 50 train.log; ls -l --full-time CHECKPOINTS",
)
