"""A file differs from what it should be although its size is right: nothing was cut, the bytes changed.

Needs a checksum that differs, and a listing: of the same name in two places (or at two times) with one size, or of two
or more sound siblings that are all just as big, as shards of one set are. ABSENT where the sizes differ too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..evidence.storage import ChecksumVerdict, FileEntry
from ..incident import Incident
from . import Finding, Symptom
from ._places import place
from .checksums_differ import mismatches

SIBLINGS = 2


def rule(incident: Incident) -> Iterator[Finding]:
    """Each file that differs and is listed at least twice."""
    listed: dict[str, list[FileEntry]] = defaultdict(list)
    for entry in incident.of(FileEntry):
        if entry.subject.path and entry.size is not None:
            listed[entry.subject.path.rpartition("/")[2]].append(entry)
    for path, facts in mismatches(incident):
        entries = listed.get(path.rpartition("/")[2], [])
        if len({entry.subject.path for entry in entries}) < 2:
            entries = [*entries, *_sound_siblings(incident, listed)] if entries else []
        if len({entry.subject.path for entry in entries}) < 2:
            continue
        same = len({entry.size for entry in entries}) == 1
        note = f"{path}: the size is right, the content is not" if same else f"{path}: the size differs too"
        yield Finding(place(incident, path), (*facts, *entries), note, present=same)


def _sound_siblings(incident: Incident, listed: dict[str, list[FileEntry]]) -> list[FileEntry]:
    """The entries of files that were compared and are right, where they are at least two and all of one size."""
    sound = [
        entry
        for verdict in incident.of(ChecksumVerdict)
        if verdict.outcome == "ok" and verdict.subject.path
        for entry in listed.get(verdict.subject.path.rpartition("/")[2], [])
    ]
    return sound if len(sound) >= SIBLINGS and len({entry.size for entry in sound}) == 1 else []


SYMPTOM = Symptom(
    title="a file has the right size and the wrong content",
    rule=rule,
    leak=0.0003,
    because="every fault that is noticed cuts a file or refuses it; only silent damage keeps the size",
    tells_apart=("path",),
    command="ls -l FILE COPY; cmp FILE COPY",
)
