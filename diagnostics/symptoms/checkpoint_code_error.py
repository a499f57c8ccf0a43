"""The saving code itself failed or saved the wrong thing: an object that cannot be pickled, keys that do not fit, a
size that grows from one checkpoint to the next or is far from what the model needs (some hundred bytes of weights).

So did code that renames a temporary file of its own that is gone, since another rank had renamed it, that raises
inside of the very function that saves, or whose folder another rank was to make; and code of which all ranks say that
they saved, where a loader counts fewer parts.

Load errors about missing or unexpected keys count, and a size that does not fit where the saved one is empty, one
element of a matrix (what a sharding library leaves in place of a parameter) or flat (a shard of it was saved): else the
model may be the one that was changed, which is an error of the job's code. Torn files are another symptom.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import PythonException
from ..evidence.people import OperatorNote
from ..evidence.storage import FileEntry
from ..incident import Incident
from ._checkpoints import CHECKPOINT, PARTS, SAVES, SAVING_CODE, raised_while_saving
from ._errors import matching
from ._places import place
from ._symptom import Finding, Symptom

# FileNotFoundError: ... 'out/tmp-checkpoint-500' -> 'out/checkpoint-500'
RENAMED = re.compile(r"No such file or directory: '(?P<old>[^']{1,400})' -> '(?P<new>[^']{1,400})'")
PARENT = re.compile(r"Parent directory \S{1,400} does not exist")
TEMPORARY = re.compile(r"(?i)(?:^|[/._-])(?:tmp|temp|temporary|staging|partial|incomplete)(?:$|[/._-])|[._-]tmp")
ALL_SAVED = re.compile(
    r"(?i)\ball (?:\d{1,6} )?ranks?:? .{0,60}(?:returned|exit(?:ed)? 0|exit code 0|rc 0|saved|finished)"
)
MOST_OF_IT = 1 << 20  # bytes: below it weights are hardly any
BETWEEN_PROCESSES = "multiprocessing"  # what cannot be handed to another process was not to be saved
GROWTH = 1.05
WEIGHTS = re.compile(r"^(?:adapter_model|pytorch_model|model|pytorch_lora_weights)\.(?:bin|safetensors|pt|pth)$")
NO_WEIGHTS = 2048  # bytes: a header and nothing below it


def rule(incident: Incident) -> Iterator[Finding]:
    """Each such error, and checkpoints that only ever grow."""
    for said in matching(incident, SAVING_CODE):
        if any(BETWEEN_PROCESSES in str(frame) for frame in getattr(said.fact, "frames", ())):
            continue
        yield Finding(said.fact.subject, (said.fact,), said.text.splitlines()[0][:160])
    yield from _by_its_frames(incident)
    families: dict[tuple[str, str], list[FileEntry]] = defaultdict(list)
    for entry in incident.of(FileEntry):
        folder, _, name = (entry.subject.path or "").rpartition("/")
        if entry.size and CHECKPOINT.search(name):
            families[folder, re.sub(r"\d+", "#", name)].append(entry)
    weights = [e for e in incident.of(FileEntry) if WEIGHTS.match((e.subject.path or "").rpartition("/")[2])]
    for few in weights:
        same = [e for e in weights if _name(e) == _name(few) and (e.size or 0) >= MOST_OF_IT]
        if same and 0 < (few.size or 0) < NO_WEIGHTS:
            yield Finding(
                Subject(), (few, same[0]), f"{few.subject.path} has {few.size} bytes, another one {same[0].size}"
            )
    if len(weights) > 1 and all(0 < (e.size or 0) < NO_WEIGHTS for e in weights):
        yield Finding(Subject(), tuple(weights[:4]), f"files of weights of {weights[0].size} bytes: none was saved")
    for entries in families.values():
        sizes = [e.size or 0 for e in sorted(entries, key=lambda e: (len(e.subject.path or ""), e.subject.path or ""))]
        if len(sizes) >= 4 and all(b > GROWTH * a for a, b in itertools.pairwise(sizes)):
            yield Finding(
                place(incident, entries[0].subject.path, entries[0]),
                tuple(entries),
                "each checkpoint is larger than the last",
            )


def _name(entry: FileEntry) -> str:
    return (entry.subject.path or "").rpartition("/")[2]


def _by_its_frames(incident: Incident) -> Iterator[Finding]:
    """Errors that the code which saves made by itself."""
    for fact in incident.of(PythonException):
        renamed = RENAMED.search(fact.text)
        if renamed and TEMPORARY.search(renamed["old"]) and _is_saved(renamed["new"], fact):
            yield Finding(fact.subject, (fact,), f"{renamed['old']} was renamed already when this rank came to it")
        elif PARENT.search(fact.text) and fact.subject.rank and fact.frames and SAVES.match(fact.frames[0]):
            yield Finding(fact.subject, (fact,), "the folder was not there yet when this rank came to it")
        elif raised_while_saving(fact):
            yield Finding(fact.subject, (fact,), f"{fact.type} in {fact.frames[0]}"[:160])
        elif PARTS.search(fact.text):
            saved = [note for note in incident.of(OperatorNote) if ALL_SAVED.search(note.text)]
            if saved:
                yield Finding(fact.subject, (fact, saved[0]), "all ranks had saved, and parts are missing")


def _is_saved(path: str, fact: PythonException) -> bool:
    name = path.rpartition("/")[2]
    return bool(CHECKPOINT.search(name)) or any(SAVES.match(each) for each in fact.frames[:4])


SYMPTOM = Symptom(
    title="the saving code fails or saves the wrong thing",
    rule=rule,
    leak=0.0006,
    because="these errors come from the objects given to the writer, whatever the disk",
    command="grep -n -B 30 -E 'pickle|state_dict' train.log; ls -l CHECKPOINTS",
)
