"""The steps paused for an evaluation or a save that the log names, and went on at the pace from before.

Between two steps of the last run, further apart than three of them, the log tells of other work; the step after it took
no longer than the one before. A main thread that was seen idle where no step waits tells of another pause.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ..evidence.training import NonFiniteValue, Phase
from ..incident import Incident
from ..runs import Run
from ._ranks import stands_idle
from ._symptom import Finding, Symptom

LONG_GAP, SAME_PACE = 3.0, 1.2
WORK = ("evaluation", "save", "epoch-end")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each pause of a log's last run that work fills."""
    if incident.of(NonFiniteValue):
        return
    for run in incident.runs:
        if run.is_last and not run.failed and not run.ended_badly and not stands_idle(incident, run):
            yield from _pauses(incident, run)


def _pauses(incident: Incident, run: Run) -> Iterator[Finding]:
    columns = run.steps.columns
    lines, seconds, took = columns.get("line", ()), columns.get("seconds", ()), columns.get("step_s", ())
    if len(took) != len(lines) or len(seconds) != len(lines):
        return
    for before in range(len(lines) - 1):
        after, gap = before + 1, seconds[before + 1] - seconds[before]
        steady = took[after] <= SAME_PACE * took[before] and all(map(math.isfinite, took[after:]))
        if not (gap > LONG_GAP * took[before] and steady):
            continue
        work = _between(incident, run, lines[before : after + 1])
        if work and max(took[after:]) <= SAME_PACE * took[before]:
            note = (
                f"{gap:.0f} s between two steps went into {work[0].phase}; the next took {took[after]:.1f} s as before"
            )
            yield Finding(run.steps.subject, (run.steps, *work[:3]), note)


def _between(incident: Incident, run: Run, lines: Sequence[float]) -> list[Phase]:
    return [
        phase
        for phase in incident.of(Phase)
        if phase.phase in WORK
        and phase.source.file == run.steps.source.file
        and lines[0] < phase.source.line < lines[-1]
        and phase.stamp is not None
    ]


SYMPTOM = Symptom(
    title="the steps paused for other work and went on as before",
    rule=rule,
    leak=0.5,
    because="the normal state of a run that evaluates and saves",
    command="grep -nE 'iteration|valid|checkpoint' train.log | tail -n 50",
    healthy=True,
)
