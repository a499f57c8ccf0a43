"""A trainer leaves out one update after another because of the norm of the gradients, and the norm is an ordinary one.

Three steps in a row or more; the norms are finite and alike, no larger than twice the limit where it is told (ten
where it is not), and no step of the log has a norm well below them: an update that would have passed. Whether the
limit was always too low or the norms have grown past it before the log begins, the log does not tell. A loss that is
not finite is another matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.training import LossScaleLowered, NonFiniteValue, TrainingSteps, UpdateSkipped
from ..incident import Incident
from ._symptom import Finding, Symptom

IN_A_ROW = 3
ALIKE = 1.5
NEAR = 2.0  # times the limit
ORDINARY = 10.0


def rule(incident: Incident) -> Iterator[Finding]:
    """The last row of skipped steps."""
    skipped = [fact for fact in incident.of(UpdateSkipped) if fact.step is not None and fact.subject.rank in (None, 0)]
    of_the_numbers: list[Evidence] = [*incident.of(LossScaleLowered), *incident.of(NonFiniteValue)]
    if not skipped or of_the_numbers:
        return
    row = [skipped[-1]]
    for fact in reversed(skipped[:-1]):
        if (fact.step or 0) == (row[-1].step or 0) - 1:
            row.append(fact)
        elif fact.step != row[-1].step:
            break
    norms = [fact.norm for fact in row]
    limit = next((fact.limit for fact in row if fact.limit), None)
    greatest = NEAR * limit if limit else ORDINARY
    alike = max(norms) <= ALIKE * min(norms) and max(norms) <= greatest
    passed = any(norm * ALIKE < min(norms) for norm in _norms(incident)) or (limit or 0.0) > min(norms)
    if len(row) >= IN_A_ROW and alike and not passed:
        note = f"{len(row)} updates in a row were skipped at gradient norms of {min(norms):.3g} to {max(norms):.3g}"
        yield Finding(row[0].subject, tuple(reversed(row[:5])), note)


def _norms(incident: Incident) -> Iterator[float]:
    for steps in incident.of(TrainingSteps):
        yield from (norm for norm in steps.columns.get("grad_norm", ()) if math.isfinite(norm))


SYMPTOM = Symptom(
    title="each update is skipped at an ordinary gradient norm",
    rule=rule,
    leak=0.0002,
    because="a limit against spikes is meant to be met by single steps",
    command="grep -i skip train.log | tail; grep -o -i 'grad.\\{0,6\\}norm[^,|]*' train.log | tail -n 50",
)
