"""A file of data holds zeros where something had been written: a dump shows a long run of them.

A checkpoint or shard of numbers has no such runs; a sparse file does, so it is a sign and no proof.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.storage import ZeroRun
from ..incident import Incident
from . import Finding, Symptom
from ._places import place


def rule(incident: Incident) -> Iterator[Finding]:
    for run in incident.of(ZeroRun):
        note = f"{run.length or 'some'} bytes at {run.offset} of {run.subject.path or 'the file'} are zeros"
        yield Finding(place(incident, run.subject.path), (run,), note)


SYMPTOM = Symptom(
    title="zeros inside a file of data",
    rule=rule,
    leak=0.001,
    because="numbers of a model or a data set are seldom zero for hundreds of bytes",
    tells_apart=("path",),
    command="hexdump -C FILE | grep -A 1 -B 1 '^[*]'; cmp -l FILE COPY | head",
    cost_minutes=3,
)
