"""Dynamic loss scaling skipped a step now and then, and the loss went on falling: overflows that are handled are none.

The losses stand a hundred steps or more apart, in the log or in a table of their own; steps stand below the last word
of an overflow, and the scale is far from its end. What a scale does in the first steps is its search for a start and
shows nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import median

from ..evidence import Subject
from ..evidence.training import LossScaleLowered, NonFiniteValue, TrainingSteps
from ..incident import Incident
from ..runs import has_steps_below
from ._symptom import Finding, Symptom

LEAST_SCALE = 1.0
FEWEST_STEPS = 100.0  # between the first loss and the last
ODD = 0.1  # of the steps between, at most so many are skipped


def rule(incident: Incident) -> Iterator[Finding]:
    """The last word of an overflow, and the losses around it."""
    lowered = [fact for fact in incident.of(LossScaleLowered) if fact.scale >= LEAST_SCALE]
    if not lowered or len(lowered) < len(incident.of(LossScaleLowered)) or incident.of(NonFiniteValue):
        return
    losses = sorted(_losses(incident), key=lambda each: each[0])
    if len(losses) < 2 or losses[-1][0] - losses[0][0] < max(FEWEST_STEPS, len(lowered) / ODD):
        return
    part = max(len(losses) // 3, 1)
    first, now = (median(loss for _, loss, _ in some) for some in (losses[:part], losses[-part:]))
    last, steps = lowered[-1], losses[-1][2]
    if now < first and any(has_steps_below(run.steps, last) for run in incident.runs):
        note = f"the loss fell from {first:.4g} to {now:.4g} over {len(lowered)} skipped steps"
        yield Finding(Subject(), (last, steps), note)


def _losses(incident: Incident) -> Iterator[tuple[float, float, TrainingSteps]]:
    """Each finite loss with its step and its run."""
    for run in incident.runs:
        columns = run.steps.columns
        for step, loss in zip(columns.get("step", ()), columns.get("loss", ()), strict=False):
            if math.isfinite(step) and math.isfinite(loss):
                yield step, loss, run.steps


SYMPTOM = Symptom(
    title="the loss falls while a loss scaler skips single steps",
    rule=rule,
    leak=0.5,
    because="the normal state of a training in half precision",
    command="grep -n -i -E 'overflow|loss.?scale|loss' train.log | tail -n 100",
    healthy=True,
)
