"""A run's process was ended by a signal, and neither it nor Python said a word about why.

Present where a dated or counted end by a signal follows the last step and the log holds no exception of that run.
ABSENT where every run that ended badly left an exception.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..incident import Incident
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    """Each run that a signal ended without a word; else the runs that said why."""
    spoke = []
    found = False
    for run in incident.runs:
        if run.failed:
            spoke.append(run.failed)
        elif run.ended and run.ended.signal and not run.finished:
            found = True
            yield Finding(
                run.steps.subject,
                (run.steps, run.ended),
                f"after step {run.steps.last_step} the process was ended by {run.ended.signal} without a word",
            )
    if spoke and not found:
        yield Finding(Subject(), tuple(spoke), "the run left an exception", present=False)


SYMPTOM = Symptom(
    title="the log ends without an error",
    rule=rule,
    leak=0.25,
    because="whoever ends a job from outside leaves the same",
    command="tail -n 50 train.log; dmesg -T | tail -n 100",
)
