"""Two ranks save the same checkpoint to one file, and it cannot be read.

One file, by its name, of the same step, under the names of two ranks, or open for writing in two processes; the one
that cannot be read is of that name, or was loaded last by the log that tells of the error, or says itself that it is
mixed. A folder may hold a file for each. A descriptor that a child has from its parent keeps its number: two processes
that have the file open under one number are no two writers.

Where nobody has met an unreadable one it is no sign: the ranks may have taken turns, or the paths lie on disks of
their own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Evidence, Subject
from ..evidence.job import PythonException
from ..evidence.process import OpenFile
from ..evidence.training import CheckpointEvent
from ..incident import Incident
from ._checkpoints import UNREADABLE
from ._symptom import Finding, Symptom

ONE_FILE = re.compile(r"\.(?:pth?|ckpt|tar|bin|h5|npz|pkl|safetensors)$")
RANK = re.compile(r"\brank[ =:]{0,2}(\d{1,6})\b")
MIXED = re.compile(r"storage has wrong size: expected|record size \(\d{1,18} bytes\) does not match expected size")


def rule(incident: Incident) -> Iterator[Finding]:
    errors = [
        error
        for error in incident.of(PythonException)
        if MIXED.search(error.text) or UNREADABLE.search(f"{error.type}: {error.text}")
    ]
    for path, by_writer, note in (*_saves(incident), *_descriptors(incident)):
        name = path.rpartition("/")[2]
        broken = [error for error in errors if MIXED.search(error.text) or name in _names(incident, error)]
        if broken:
            yield Finding(Subject(path=path), (*by_writer[:4], broken[0]), note)


def _saves(incident: Incident) -> Iterator[tuple[str, list[Evidence], str]]:
    """Files to which two ranks save the same step, by their own words."""
    saves: dict[tuple[str, int], dict[str, Evidence]] = defaultdict(dict)
    for event in incident.of(CheckpointEvent):
        path = event.subject.path or ""
        if event.event == "saving" and event.step is not None and ONE_FILE.search(path):
            told = [*RANK.findall(event.source.quote)]
            rank = event.subject.rank if event.subject.rank is not None else told[-1] if told else None
            if rank is not None:
                saves[path, event.step].setdefault(str(rank), event)
    for (path, step), by_rank in saves.items():
        if len(by_rank) > 1:
            yield path, [*by_rank.values()], f"ranks {' and '.join(list(by_rank)[:4])} save {path} of {step}"


def _descriptors(incident: Incident) -> Iterator[tuple[str, list[Evidence], str]]:
    """Files that two processes of one machine have open for writing, each under a number of its own."""
    opened: dict[tuple[str, str], dict[int, OpenFile]] = defaultdict(dict)
    for row in incident.of(OpenFile):
        if row.writable and not row.deleted and row.subject.pid is not None and ONE_FILE.search(row.target):
            opened[incident.links.machines.of(row), row.target].setdefault(row.subject.pid, row)
    for (_, path), by_pid in opened.items():
        if len({row.descriptor for row in by_pid.values()}) > 1:
            pids = " and ".join(str(pid) for pid in list(by_pid)[:4])
            yield path, [*by_pid.values()], f"processes {pids} have {path} open for writing"


def _names(incident: Incident, error: PythonException) -> str:
    """What an error says of its file, and what its log loaded last before it."""
    loads = [
        event.subject.path or ""
        for event in incident.of(CheckpointEvent)
        if event.event == "resuming"
        and event.source.file == error.source.file
        and event.source.line < error.source.line
    ]
    return f"{error.text} {error.subject.path} {loads[-1] if loads else ''}"


SYMPTOM = Symptom(
    title="two ranks save to one file",
    rule=rule,
    leak=0.00005,
    because="a trainer lets one rank save, and two that do mostly take turns or write the same bytes; a file in pieces "
    "needs the slip and the race",
    tells_apart=("path",),
    command="grep -n -i 'saving checkpoint' *.log | tail",
)
