"""A saved model is a few megabytes at most, and its own training state is of gigabytes.

Both stand in one listing: weights by the names that libraries give them, optimizer states by theirs. Adapters (LoRA)
are small by design and do not count. ABSENT where the weights are as large as a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.storage import FileEntry
from ..incident import Incident
from ._symptom import Finding, Symptom

WEIGHTS = re.compile(
    r"^(?:pytorch_model|model|consolidated|mp_rank_\d+_model_states|full_model)(?:[-.]\d{1,5}(?:-of-\d{1,5})?)?\."
    "(?:bin|safetensors|pt|pth)$"
)
STATE = re.compile(r"optim(?:izer)?(?:_states?)?\b.{0,40}\.(?:pt|bin|pth|distcp)$|_optim_states\.pt$", re.I)
EMPTY, LARGE = 16 << 20, 1 << 30


def rule(incident: Incident) -> Iterator[Finding]:
    listed = [(entry, (entry.subject.path or "").rpartition("/")[2]) for entry in incident.of(FileEntry) if entry.size]
    state = next((entry for entry, name in listed if STATE.search(name) and (entry.size or 0) >= LARGE), None)
    weights = [entry for entry, name in listed if WEIGHTS.match(name)]
    if state is None or not weights:
        return
    for entry in weights:
        size = (entry.size or 0) / 2**20
        if (entry.size or 0) <= EMPTY:
            note = f"{entry.subject.path} has {size:.1f} MiB, its optimizer's state {(state.size or 0) / 2**30:.0f} GiB"
            yield Finding(Subject(path=entry.subject.path), (entry, state), note)
    if all((entry.size or 0) > EMPTY for entry in weights):
        yield Finding(Subject(), tuple(weights[:4]), "the weights have a model's size", present=False)


SYMPTOM = Symptom(
    title="saved weights hold hardly anything",
    rule=rule,
    leak=0.00008,
    because="an optimizer keeps two or three numbers for each of the model's; weights of a thousandth of that are none",
    tells_apart=("path",),
    command="ls -lR CHECKPOINTS; python -m diagnostics checkpoint verify CHECKPOINTS",
)
