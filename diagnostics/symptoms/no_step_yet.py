"""The run started, and its first step came very late or not at all.

Late is more than half a minute and more than twenty times the pace that followed. Not at all is a log in which a
run started, that shows no step and no exception, while a watchdog or a process table saw it at least half a
minute old. ABSENT where the first step came within that time.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import PythonException
from ..evidence.process import ProcessState
from ..evidence.training import RunStarted, TrainingSteps
from ..incident import Incident
from ._symptom import Finding, Symptom

PACES = 12
AT_LEAST_S = 25.0


def rule(incident: Incident) -> Iterator[Finding]:
    """The wait for the first step of each run."""
    prompt = []
    found = False
    for run in incident.runs:
        waited = run.first_step.since(run.began) if run.first_step and run.began else None
        if waited is None:
            continue
        if waited > max(PACES * (run.pace_s or 0.0), AT_LEAST_S):
            found = True
            yield Finding(run.steps.subject, (run.steps,), f"the first step came after {waited:.0f} s")
        else:
            prompt.append(run.steps)
    if not incident.of(TrainingSteps) and not incident.of(PythonException):
        yield from _none_at_all(incident)
    elif prompt and not found:
        yield Finding(Subject(), tuple(prompt), "the first step came promptly", present=False)


def _none_at_all(incident: Incident) -> Iterator[Finding]:
    for start in incident.of(RunStarted):
        old = [p for p in incident.of(ProcessState) if (p.elapsed_s or 0) > AT_LEAST_S and p.command in start.command]
        if old and old[0].command:
            yield Finding(start.subject, (start, old[0]), f"no step after {old[0].elapsed_s:.0f} s")


SYMPTOM = Symptom(
    title="no first step for a long time",
    rule=rule,
    leak=0.05,
    because="large models and data sets take minutes to load without any fault",
    command="head -n 100 train.log; ps -eo pid,etime,time,stat,wchan:32,args",
)
