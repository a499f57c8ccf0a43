"""A file has fewer bytes than its index, its source or the server said: a table of both, an error that names both
numbers, or the listings of two folders of which one is a copy of the other.

A folder is the copy of another where half or more of the large files of one name have one size in both. What grows
by itself (a log), and what a process still writes or copies, is not compared.

ABSENT where such a table was made and every file has its size.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import permutations

from ..evidence import Subject
from ..evidence.storage import FileEntry, SizeCompared
from ..incident import Incident
from ._checkpoints import is_being_written, part_of
from ._errors import matching
from ._places import place
from ._symptom import Finding, Symptom

BOTH = re.compile(
    "(?:should be of size|expected (?:size|length|file size)|size mismatch: expected|content-length:?|promised) ?"
    r"(?:of |is |was )?(?P<should>\d{3,16})(?: bytes)?"
    r".{0,60}?\b(?:has size|got|found|but (?:is|was|has|read|received)|actual(?: size)?(?: is)?:?|only) ?(?:only )?"
    r"(?P<have>\d{1,16})\b",
    re.I | re.S,
)

GROWS = re.compile(r"\.(?:log|out|err|jsonl|csv)$|tfevents|trainer_state", re.I)
LARGE = 2**20  # bytes: settings and notes of one size say nothing
MANY = 20  # folders of which all pairs are compared


def rule(incident: Incident) -> Iterator[Finding]:
    compared = incident.of(SizeCompared)
    short = [row for row in compared if row.actual < row.expected]
    for row in short:
        yield Finding(
            place(incident, row.subject.path, row),
            (row,),
            f"{row.subject.path} has {row.actual:,} of {row.expected:,} bytes",
        )
    if len(compared) > 1 and not short:
        yield Finding(Subject(), tuple(compared[:4]), "every file has the size that it should have", present=False)
    yield from _copies(incident)
    for said in matching(incident, BOTH):
        found = BOTH.search(said.text)
        if found and int(found["have"]) < int(found["should"]):
            note = f"{int(found['have']):,} of {int(found['should']):,} bytes"
            yield Finding(
                place(incident, said.path, said.fact), (said.fact,), f"{said.text.splitlines()[0][:120]}: {note}"
            )


def _copies(incident: Incident) -> Iterator[Finding]:
    """Each file of a folder's copy that is shorter there than where it came from."""
    folders: dict[str, dict[str, FileEntry]] = defaultdict(dict)
    for entry in incident.of(FileEntry):
        folder, name = part_of(entry.subject.host, entry.subject.path)
        if folder and (entry.size or 0) >= LARGE and not GROWS.search(name):
            folders[folder][name] = entry
    for source, copy in permutations(list(folders)[:MANY], 2):
        pairs = [(folders[source][name], entry) for name, entry in folders[copy].items() if name in folders[source]]
        equal = [entry for whole, entry in pairs if entry.size == whole.size]
        for whole, entry in pairs if 2 * len(equal) >= len(pairs) else ():
            short = (entry.size or 0) < (whole.size or 0)
            if short and not is_being_written(incident, entry.subject.path or ""):
                note = f"{entry.subject.path} has {entry.size:,} of the {whole.size:,} bytes that it has in {source}"
                yield Finding(place(incident, entry.subject.path, entry), (entry, whole), note)


SYMPTOM = Symptom(
    title="a file is shorter than its record says",
    rule=rule,
    leak=0.002,
    because="an index and its files are written together; only what ends in between tells them apart",
    tells_apart=("mount",),
    command="ls -l FILES; aws s3 ls s3://BUCKET/FILES",
)
