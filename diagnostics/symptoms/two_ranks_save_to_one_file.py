"""Two ranks say that they save the same checkpoint to one file, and it cannot be read.

One file, by its name, of the same step, under the names of two ranks; the one that cannot be read is of that name, or
says itself that it is mixed. A folder may hold a file for each.

Where nobody has met an unreadable one it is no sign: the ranks may have taken turns, or the paths lie on disks of
their own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import CheckpointEvent, PythonException
from ..incident import Incident
from . import Finding, Symptom
from .checkpoint_unreadable import UNREADABLE

ONE_FILE = re.compile(r"\.(?:pth?|ckpt|tar|bin|h5|npz|pkl|safetensors)$")
RANK = re.compile(r"\brank[ =:]{0,2}(\d{1,6})\b")
MIXED = re.compile(r"storage has wrong size: expected")


def rule(incident: Incident) -> Iterator[Finding]:
    errors = [
        error
        for error in incident.of(PythonException)
        if MIXED.search(error.text) or UNREADABLE.search(f"{error.type}: {error.text}")
    ]
    saves: dict[tuple[str, int], dict[str, CheckpointEvent]] = defaultdict(dict)
    for event in incident.of(CheckpointEvent):
        path = event.subject.path or ""
        if event.event == "saving" and event.step is not None and ONE_FILE.search(path):
            told = [*RANK.findall(event.source.quote)]
            rank = event.subject.rank if event.subject.rank is not None else told[-1] if told else None
            if rank is not None:
                saves[path, event.step].setdefault(str(rank), event)
    for (path, step), by_rank in saves.items():
        name = path.rpartition("/")[2]
        broken = [error for error in errors if MIXED.search(error.text) or name in f"{error.text} {error.subject.path}"]
        if len(by_rank) > 1 and broken:
            ranks = " and ".join(list(by_rank)[:4])
            note = f"ranks {ranks} save {path} of {step}"
            yield Finding(Subject(path=path), (*list(by_rank.values())[:4], broken[0]), note)


SYMPTOM = Symptom(
    title="two ranks save to one file",
    rule=rule,
    leak=0.00005,
    because="a trainer lets one rank save, and two that do mostly take turns or write the same bytes; a file in pieces "
    "needs the slip and the race",
    tells_apart=("path",),
    command="grep -n -i 'saving checkpoint' *.log | tail",
)
