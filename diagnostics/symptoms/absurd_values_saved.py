"""Files of weights hold numbers that no training makes (beyond 1e20), while a file of the same name elsewhere in the
run is sound.

Two such files or more were damaged in the same way, and the training that wrote them went on: what was in memory was
right, and what was written was not.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.storage import TensorValues
from ..incident import Incident
from ._symptom import Finding, Symptom

ABSURD, SOUND = 1e20, 1e5
FEWEST = 2


def rule(incident: Incident) -> Iterator[Finding]:
    files = [fact for fact in incident.of(TensorValues) if fact.subject.path and fact.greatest is not None]
    absurd = [fact for fact in files if (fact.greatest or 0.0) > ABSURD]
    names = {_base(fact) for fact in absurd}
    sound = [fact for fact in files if (fact.greatest or 0.0) < SOUND and _base(fact) in names]
    if len(absurd) >= FEWEST and sound:
        note = (
            f"{len(absurd)} files hold numbers up to {absurd[0].greatest:.0e}, {sound[0].name} up to "
            f"{sound[0].greatest:.0e}"
        )
        yield Finding(Subject(), (*absurd, *sound), note)


def _base(fact: TensorValues) -> str:
    return fact.name.rpartition("/")[2]


SYMPTOM = Symptom(
    title="saved weights are absurd, and a sibling is sound",
    rule=rule,
    leak=0.0001,
    because="weights that diverge are absurd in every file from then on, and damage hits one file and not several",
    command='python -c "from safetensors.torch import load_file; print({k: (v.min(), v.max()) for k, v in '
    "load_file('FILE').items()})\"",
    cost_minutes=3,
)
