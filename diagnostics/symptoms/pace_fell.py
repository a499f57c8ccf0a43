"""The pace is lower at the end of a run than at its beginning, by more than the steps vary.

The median of the last third is at least 3 % under the median of the first, and the fall is at least three times as wide
as either third is spread; or the last third, from its fastest step on, is slower than any step of the first, and its
median by two fifths; or the fastest step of the last third takes twice as long as the slowest of the first fifth.
A collapse to less than two fifths of the usual pace is a symptom of its own (throughput_collapsed).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from ..incident import Incident
from ._symptom import Finding, Symptom
from .throughput_collapsed import collapsed_from, rates

FEWEST = 5  # steps
LEAST = 0.03
TIMES_THE_SPREAD = 3.0
APART = 0.5
CLEARLY, FIRST = 0.6, 2  # of the pace; steps that compile and fill caches


def rule(incident: Incident) -> Iterator[Finding]:
    for run in incident.runs:
        pace = rates(run.steps)
        lost = lasting_loss(pace)
        if run.is_last and lost >= LEAST and collapsed_from(pace) is None:
            note = f"the pace fell by {lost:.1%} during the run and stayed there"
            yield Finding(run.steps.subject, (run.steps,), note)


def lasting_loss(pace: Sequence[float]) -> float:
    """The share of its pace that a run has lost for good; 0 where its steps vary too much to tell."""
    if len(pace) < FEWEST:
        return 0.0
    third, fifth = max(len(pace) // 3, 2), len(pace) // 5
    before, after = pace[:third], pace[-third:]
    if fifth >= FEWEST and max(after) < APART * min(pace[:fifth]):
        return 1 - median(after) / median(pace[:fifth])
    usual, now = median(before), median(after)
    lost = usual - now
    if third >= FEWEST and now < CLEARLY * usual and max(after) < min(pace[FIRST:third]):
        return lost / usual
    if usual <= 0 or lost < TIMES_THE_SPREAD * max(_spread(before), _spread(after)):
        return 0.0
    return lost / usual


def _spread(values: Sequence[float]) -> float:
    """The width of all but the outermost tenth of the values on either side."""
    ordered = sorted(values)
    cut = len(ordered) // 10
    return ordered[-1 - cut] - ordered[cut]


SYMPTOM = Symptom(
    title="the pace fell during the run and stayed lower",
    rule=rule,
    leak=0.06,
    because="longer sequences, another phase or a busier cluster slow runs too",
    command="grep -E 'tok/s|it/s|elapsed time per iteration|TFLOPs' train.log",
)
