"""The pace is lower at the end of a run than at its beginning, by more than the steps vary.

The median of the last third is at least 3 % under the median of the first, and the fall is at least three times as wide
as either third is spread; or the last third, from its fastest step on, is slower than any step of the first, and its
median by two fifths; or the fastest step of the last third takes twice as long as the slowest of the first fifth.
A collapse to less than two fifths of the usual pace is a symptom of its own (throughput_collapsed).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..incident import Incident
from ._pace import LEAST, collapsed_from, lasting_loss, rates
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for run in incident.runs:
        pace = rates(run.steps)
        lost = lasting_loss(pace)
        if run.is_last and lost >= LEAST and collapsed_from(pace) is None:
            note = f"the pace fell by {lost:.1%} during the run and stayed there"
            yield Finding(run.steps.subject, (run.steps,), note)


SYMPTOM = Symptom(
    title="the pace fell during the run and stayed lower",
    rule=rule,
    leak=0.06,
    because="longer sequences, another phase or a busier cluster slow runs too",
    command="grep -E 'tok/s|it/s|elapsed time per iteration|TFLOPs' train.log",
)
