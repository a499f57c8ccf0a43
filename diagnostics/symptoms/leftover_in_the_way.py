"""A save is refused because its folder or file is there already, and an earlier write of the same name was cut off.

The cut is one of `copy_interrupted`, in another log or further up in the same one; which run wrote what is there is
not known without it: output of a run that was complete, or another rank that was faster, are refused alike.
Never ABSENT.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Source
from ..incident import Incident
from ._errors import matching
from ._places import place
from ._registry import findings_of
from ._symptom import Finding, Symptom

# FileExistsError: [Errno 17] File exists: 'ckpt/step_40'      ValueError: Destination /ckpt/40 already exists.
# shutil.Error: Destination path 'out/final' already exists
# OSError: [Errno 39] Directory not empty: 'a' -> 'ckpt/step_40'
IN_THE_WAY = re.compile(
    r"File exists: |\balready exists\b|Directory not empty: |\bmust not (?:already )?exist\b|\bis not empty\b"
)


def rule(incident: Incident) -> Iterator[Finding]:
    refused = [said for said in matching(incident, IN_THE_WAY) if IN_THE_WAY.search(said.text)]
    for cut in findings_of(incident, "copy-interrupted") if refused else ():
        name = (cut.subject.path or "").rstrip("/").rpartition("/")[2]
        named = re.compile(rf"(?:^|[\s/'\"]){re.escape(name)}(?:[/'\",.;]|\s|$)")
        for said in refused if cut.present and name else ():
            if named.search(said.text) and all(_comes_after(said.fact, fact.source) for fact in cut.evidence):
                words = said.text.splitlines()[0]
                note = f"{cut.subject.path} is there already, and was cut off when it was written: {words}"
                yield Finding(place(incident, cut.subject.path, said.fact), (said.fact, *cut.evidence[:2]), note[:200])


def _comes_after(fact: Evidence, source: Source) -> bool:
    return fact.source.file != source.file or fact.source.line > source.line


SYMPTOM = Symptom(
    title="what a cut-off save left is in the way of the next",
    rule=rule,
    leak=0.0003,
    because="a name whose writer was ended in the middle and that nobody can write again holds what that writer left",
    tells_apart=("mount",),
    command="ls -la --full-time CHECKPOINTS; grep -n -E 'saving|exists' *.log",
)
