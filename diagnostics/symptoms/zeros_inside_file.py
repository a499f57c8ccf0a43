"""A file of data holds zeros where something had been written: a dump shows a long run of them, or whole matrices of
weights in a model are zeros while its others are not.

A checkpoint or shard of numbers has no such runs; a sparse file does, so it is a sign and no proof. What starts as
zeros (biases, an adapter's second matrix) does not count, nor does a file that is nothing but zeros: perhaps nobody
ever wrote to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.storage import FileEntry, TensorValues, ZeroRun
from ..incident import Incident
from ._places import place
from ._symptom import Finding, Symptom

WEIGHTS = re.compile(r"(?:weight|kernel|embedding)$")
ROW = 16  # bytes: what a dump shows of a file's end
STARTS_AS_ZEROS = re.compile(r"lora_?B|lora_up|zero_?(?:conv|module|init)|adapter|bias", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    sizes = {entry.subject.path: entry.size for entry in incident.of(FileEntry) if entry.size}
    for run in incident.of(ZeroRun):
        if run.offset == 0 and run.length and run.length + ROW > sizes.get(run.subject.path, 2**63):
            continue
        note = f"{run.length or 'some'} bytes at {run.offset} of {run.subject.path or 'the file'} are zeros"
        yield Finding(place(incident, run.subject.path, run), (run,), note)
    weights = [each for each in incident.of(TensorValues) if WEIGHTS.search(each.name)]
    zeros = [each for each in weights if each.zeros_percent == 100.0 and not STARTS_AS_ZEROS.search(each.name)]
    if zeros and len(zeros) < len(weights):
        yield Finding(Subject(), tuple(zeros), f"{zeros[0].name} is all zeros" + (", and others" if zeros[1:] else ""))


SYMPTOM = Symptom(
    title="zeros inside a file of data",
    rule=rule,
    leak=0.001,
    because="numbers of a model or a data set are seldom zero for hundreds of bytes",
    tells_apart=("path",),
    command="hexdump -C FILE | grep -A 1 -B 1 '^[*]'; cmp -l FILE COPY | head",
    cost_minutes=3,
)
