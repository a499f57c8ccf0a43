"""The pace of a run: its rates over time, and a loss of pace that lasts."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from ..evidence.training import TrainingSteps
from ..runs import gaps
from ._runs import column

COLLAPSED = 0.4
ONE_STEP = 0.25
FIRST_RATES = 2  # steps that never count
FEWEST_RATES = 5  # steps that count
FEWEST = 5  # steps
LEAST = 0.03
TIMES_THE_SPREAD = 3.0
APART = 0.5
CLEARLY, FIRST = 0.6, 2  # of the pace; steps that compile and fill caches


def rates(steps: TrainingSteps) -> list[float]:
    """Work per second for each step, in whatever unit the run logs."""
    found = column(steps, "tokens_per_s", "samples_per_s")
    if found:
        return found
    durations = column(steps, "step_s") or gaps(steps)
    return [1 / duration for duration in durations if duration > 0]


def collapsed_from(pace: Sequence[float]) -> float | None:
    """The usual pace of a run that ends below two fifths of it; None for any other run."""
    pace = pace[FIRST_RATES:]
    if len(pace) < FEWEST_RATES:
        return None
    usual = median(pace)
    return usual if pace[-1] < ONE_STEP * usual or max(pace[-2:]) < COLLAPSED * usual else None


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
