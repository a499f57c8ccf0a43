"""The last run said that it reached its end, and its process ended with status 0 or its end is not shown; or its log
shows steps, no bar that stands before its end, and then status 0; or the scheduler records every job it speaks of as
completed with status 0, and the end that a log tells of is the same.

An exception after that word (also of a Ctrl-C, where the process did not end) is no good end, nor is one in the log
of another program that says nothing of its end, or a main thread that somebody found in the steps of leaving. Where
nobody says how a process ended, none of the job is in a process table that is not known to be of an earlier time.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.job import PythonException
from ..evidence.process import PythonStack
from ..evidence.supervisor import SchedulerEvent
from ..evidence.training import ProgressBar, RunFinished
from ..incident import Incident
from ..runs import job_ends
from ._runs import stays, went_on_after
from ._symptom import Finding, Symptom
from ._waits import in_worker, name_of


def rule(incident: Incident) -> Iterator[Finding]:
    """The last word of each log, where it is a good one."""
    leaving = any(map(_is_leaving, incident.of(PythonStack))) or _another_raised(incident)
    if not leaving and all(went_on_after(incident, error) for error in incident.of(PythonException)):
        yield from _by_record(incident)
        yield from _by_status(incident)
    for fact in incident.of(RunFinished):
        after = [
            end for end in job_ends(incident)
            if end.source.file == fact.source.file and end.source.line > fact.source.line
        ]  # fmt: skip
        raised = leaving or any(
            error.source.file == fact.source.file and error.source.line > fact.source.line
            for error in incident.of(PythonException)
        )
        if (
            not raised
            and not stays(incident, fact)
            and all(end.status in (0, None) and not end.signal for end in after)
        ):
            yield Finding(fact.subject, (fact, *after[:1]), f"the run said: {fact.text[:120]}")


def _by_record(incident: Incident) -> Iterator[Finding]:
    """Jobs that the scheduler saw end well, and so did the log of one."""
    events, ends = incident.of(SchedulerEvent), job_ends(incident)
    well = [event for event in events if event.about == "completed" and event.exit_code == 0 and not event.signal]
    if well and len(well) == len(events) and ends and all(end.status == 0 and not end.signal for end in ends):
        yield Finding(
            well[-1].subject, (well[-1], ends[-1]), f"the job is recorded as completed: {well[-1].text[:120]}"
        )


def _by_status(incident: Incident) -> Iterator[Finding]:
    """Last runs whose process ended with status 0 after their steps, where no word of their end was found."""
    for run in incident.runs:
        ended = run.ended
        if ended is None or run.finished or not run.ended_in_order:
            continue
        bars = [bar for bar in incident.of(ProgressBar) if bar.source.file == ended.source.file]
        if ended in job_ends(incident) and (not bars or bars[-1].done == bars[-1].total):
            note = f"{run.steps.steps} steps, and then the process ended with status 0"
            yield Finding(run.steps.subject, (run.steps, ended), note)


def _is_leaving(stack: PythonStack) -> bool:
    """True where the main thread was seen between its last word and its end: it did not get through."""
    names = [name_of(frame) for frame in stack.frames]
    return stack.thread == "MainThread" and not in_worker(stack) and any(name in LEAVES for name in names)


def _another_raised(incident: Incident) -> bool:
    """True where a log that says of no run that it was done holds an exception after which it does not go on."""
    done = {fact.source.file for fact in incident.of(RunFinished)}
    others = [error for error in incident.of(PythonException) if error.source.file not in done]
    return any(not went_on_after(incident, error) for error in others)


LEAVES = frozenset(
    "_exit_function _python_exit _run_exitfuncs _at_exit_callback _shutdown _run_finalizers destroy_process_group "
    "shutdown_compile_workers _shutdown_backend".split()
)
SYMPTOM = Symptom(
    title="the run reached its own end",
    rule=rule,
    leak=0.5,
    because="the normal end of a run",
    command="tail -n 20 train.log; echo $?",
    healthy=True,
)
