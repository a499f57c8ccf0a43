"""The last run said that it reached its end, and its process ended with status 0 or its end is not shown.

An exception after that word (also of a Ctrl-C, where the process did not end) is no good end.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.job import PythonException, RunFinished
from ..incident import Incident
from . import Finding, Symptom
from ._runs import job_ends


def rule(incident: Incident) -> Iterator[Finding]:
    """The last word of each log, where it is a good one."""
    for fact in incident.of(RunFinished):
        after = [
            end for end in job_ends(incident)
            if end.source.file == fact.source.file and end.source.line > fact.source.line
        ]  # fmt: skip
        raised = any(
            error.source.file == fact.source.file and error.source.line > fact.source.line
            for error in incident.of(PythonException)
        )
        if not raised and all(end.status in (0, None) and not end.signal for end in after):
            yield Finding(fact.subject, (fact, *after[:1]), f"the run said: {fact.text[:120]}")


SYMPTOM = Symptom(
    title="the run reached its own end",
    rule=rule,
    leak=0.5,
    because="the normal end of a run",
    command="tail -n 20 train.log; echo $?",
    healthy=True,
)
