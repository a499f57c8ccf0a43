"""A file has fewer bytes than its index, its source or the server said: a table of both, or an error that names both
numbers.

ABSENT where such a table was made and every file has its size.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.storage import SizeCompared
from ..incident import Incident
from . import Finding, Symptom
from ._errors import matching
from ._places import place

BOTH = re.compile(
    "(?:should be of size|expected (?:size|length|file size)|size mismatch: expected|content-length:?|promised) ?"
    r"(?:of |is |was )?(?P<should>\d{3,16})(?: bytes)?"
    r".{0,60}?\b(?:has size|got|found|but (?:is|was|has|read|received)|actual(?: size)?(?: is)?:?|only) ?(?:only )?"
    r"(?P<have>\d{1,16})\b",
    re.I | re.S,
)


def rule(incident: Incident) -> Iterator[Finding]:
    compared = incident.of(SizeCompared)
    short = [row for row in compared if row.actual < row.expected]
    for row in short:
        yield Finding(
            place(incident, row.subject.path),
            (row,),
            f"{row.subject.path} has {row.actual:,} of {row.expected:,} bytes",
        )
    if len(compared) > 1 and not short:
        yield Finding(Subject(), tuple(compared[:4]), "every file has the size that it should have", present=False)
    for said in matching(incident, BOTH):
        found = BOTH.search(said.text)
        if found and int(found["have"]) < int(found["should"]):
            note = f"{int(found['have']):,} of {int(found['should']):,} bytes"
            yield Finding(place(incident, said.path), (said.fact,), f"{said.text.splitlines()[0][:120]}: {note}")


SYMPTOM = Symptom(
    title="a file is shorter than its record says",
    rule=rule,
    leak=0.002,
    because="an index and its files are written together; only what ends in between tells them apart",
    tells_apart=("mount",),
    command="ls -l FILES; aws s3 ls s3://BUCKET/FILES",
)
