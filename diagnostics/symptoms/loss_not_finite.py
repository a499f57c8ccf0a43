"""The loss or gradient norm became NaN or infinite, a framework gave up because of it, or the loss rose at once to
many times its usual value and stayed.

A value that is finite again for the last steps of a longer run is none: half precision overflows while its scale is
sought. ABSENT where a run of at least five steps logged its loss and it is finite to the end.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from statistics import median

from ..evidence import Subject
from ..evidence.job import NonFiniteValue
from ..incident import Incident
from . import Finding, Symptom
from ._errors import matching
from ._runs import column, is_finite_again, runs

EXPLODED = 4.0
DIVERGED = re.compile(
    r"loss scale already at minimum|minimum loss scale reached|returned nan values|probably exploding"
    r"|reducing loss scale to \d(?:\.\d{1,20})?e-(?:0[5-9]|[1-9]\d)|probability tensor contains either `?inf"
    r"|\b(?:loss|model|training|grad(?:ient)?s?(?: norm)?)\b.{0,40}\b(?:exploded|diverged|is not finite)"
    r"|\b(?:loss|grad(?:ient)?s?(?: norm)?)\b.{0,40}\b(?:is|was|are|became|becomes|turned|contains?|=)[ :]{0,2}"
    r"(?:nan|inf|infinite|non-?finite)\b"
    r"|\b(?:found|detected|encountered|got)\b.{0,20}\b(?:nan|inf)s?\b.{0,30}\b(?:loss|grad|forward|weight|param|logits)"
    r"|\b(?:nan|inf|infinite|non-?finite|invalid) (?:loss|grad(?:ient)?s?(?: norm)?)(?!.{0,60}\b(?:continuing|skip))",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    """The first bad value of each run; else the runs that stayed finite."""
    said = list(matching(incident, DIVERGED))
    for words in said:
        yield Finding(Subject(rank=words.fact.subject.rank), (words.fact,), words.text.splitlines()[0][:160])
    bad = [fact for fact in incident.of(NonFiniteValue) if not is_finite_again(incident, fact)]
    for fact in bad:
        at = f" at step {fact.step}" if fact.step is not None else ""
        yield Finding(Subject(rank=fact.subject.rank), (fact,), f"{fact.quantity} is no finite number{at}")
    fine = []
    for run in runs(incident):
        losses = column(run.steps, "loss")
        finite = [loss for loss in losses if math.isfinite(loss)]
        if len(finite) < 5:
            continue
        if median(finite[-3:]) > EXPLODED * max(median(finite[: max(len(finite) // 2, 3)]), 0.5):
            yield Finding(Subject(), (run.steps,), f"the loss rose to {finite[-1]:.4g}")
        else:
            fine.append(run.steps)
    if fine and not bad and not said:
        yield Finding(Subject(), tuple(fine), "the loss is finite to the end", present=False)


SYMPTOM = Symptom(
    title="the loss is NaN or has exploded",
    rule=rule,
    leak=0.001,
    because="a converging run stays finite; single skipped steps of a loss scaler are no such value",
    command="grep -n -i -E 'nan|inf' train.log | head; grep -E 'loss|lr' train.log | tail -n 100",
)
