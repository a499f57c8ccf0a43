"""A rank timed out in a collective after another had said that its run was done, at a step that the first had passed.

Or the one that is done has all its calls behind it, by its own count, and the first asked for one more. Or another had
said that its data were exhausted, and the first (or, where the time-out names no rank, some other), whose log counts as
many steps, had not. Or one takes the process group down by its stack, and all the others wait in a collective. Or the
ranks that a collective misses are those that are done, by their names or, where none of them is named, by their number.
Whoever is done takes part in nothing more, so that no limit would have been long enough. A rank that is done and then
waits itself for the others, who save or evaluate, is no case of this.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..evidence import Subject
from ..evidence.collective import CollectiveProgress, CollectiveStuck, CollectiveTimeout
from ..evidence.job import PythonException
from ..evidence.supervisor import ProcessEnded
from ..evidence.training import Phase, RunFinished, RunStarted, TrainingSteps
from ..incident import Incident
from ._ranks import positions
from ._symptom import Finding, Symptom

STOPS_EARLY = re.compile(
    r"(?i)signal|sigterm|interrupt|time limit|abort"
)  # a stop is an end of the run, of all its ranks
LEAVES = re.compile(r"^(?:destroy_process_group|_shutdown_backend|_abort_process_group|abort) \(torch/distributed/")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each rank that was done, with one that waited for it."""
    done = {fact.subject.rank: fact for fact in incident.of(RunFinished) if fact.subject.rank is not None}
    last = {fact.subject.rank: fact.last_step for fact in incident.of(TrainingSteps) if fact.subject.rank is not None}
    waited = [(fact.subject.rank, fact) for fact in incident.of(CollectiveTimeout) if fact.subject.rank not in done]
    for rank, fact in done.items():
        ended = fact.step if fact.step is not None else last.get(rank)
        for other, timeout in waited:
            if other is not None and ended is not None and (last.get(other) or -1) > ended:
                note = f"rank {rank} was done at step {ended}; rank {other} waited for it at a later one"
                yield Finding(fact.subject, (fact, timeout), note)
                break
    yield from _one_more_call(incident, done)
    yield from _taken_down(incident)
    yield from _missed(incident)
    yield from _out_of_data(incident, last)


def _taken_down(incident: Incident) -> Iterator[Finding]:
    """A rank whose stack takes the process group down, while that of another waits in a collective."""
    if incident.of(PythonException):
        return  # a rank that raised leaves too, and that is another story
    seen = positions(incident)
    leaving = [position for position in seen if LEAVES.search(position.where)]
    waiting = [position for position in seen if position.in_collective]
    if leaving and waiting and len(leaving) + len(waiting) == len(seen):
        note = f"{leaving[0].subject} takes the process group down; {waiting[0].subject} waits in {waiting[0].where}"
        yield Finding(leaving[0].subject, (leaving[0].fact, waiting[0].fact), note)


def _missed(incident: Incident) -> Iterator[Finding]:
    """The ranks that every stuck collective misses, where they, or as many in the same log, had said that they are
    done.
    """
    stuck = [fact for fact in incident.of(CollectiveStuck) if fact.missing_ranks]
    missing = {fact.missing_ranks for fact in stuck}
    if len(missing) != 1 or incident.of(PythonException, ProcessEnded):
        return
    absent = next(iter(missing))
    said = [fact for fact in incident.of(RunFinished) if STOPS_EARLY.search(fact.text) is None]
    named = {fact.subject.rank for fact in said if fact.subject.rank is not None}
    above = [fact for fact in said if _above(fact, stuck[0]) and not _started_between(incident, fact, stuck[0])]
    if (named and named == set(absent)) or (not named and len(above) == len(said) == len(absent)):
        ranks = ", ".join(map(str, absent[:8]))
        note = (
            f"ranks {ranks} never joined {stuck[0].operation or 'a collective'}, and as many had said that they "
            "are done"
        )
        yield Finding(Subject(rank=absent[0] if len(absent) == 1 else None), (stuck[0], *said[:3]), note)


def _above(end: RunFinished, stuck: CollectiveStuck) -> bool:
    return end.source.file == stuck.source.file and end.source.line < stuck.source.line


def _started_between(incident: Incident, end: RunFinished, stuck: CollectiveStuck) -> bool:
    lines = range(end.source.line, stuck.source.line)
    return any(each.source.file == end.source.file and each.source.line in lines for each in incident.of(RunStarted))


def _one_more_call(incident: Incident, done: Mapping[int, RunFinished]) -> Iterator[Finding]:
    """Each rank that was done with nothing outstanding, with one that timed out in a later call than its last."""
    for stands in incident.of(CollectiveProgress):
        end = done.get(stands.subject.rank) if stands.subject.rank is not None else None
        last = stands.enqueued
        if end is None or last is None or stands.completed != last:
            continue
        for timeout in incident.of(CollectiveTimeout):
            same = None in (timeout.group, stands.group) or timeout.group == stands.group
            if same and timeout.subject.rank != stands.subject.rank and (timeout.sequence or 0) > last:
                note = (
                    f"rank {stands.subject.rank} was done after call {last}; rank {timeout.subject.rank} waited "
                    f"in {timeout.sequence}"
                )
                yield Finding(stands.subject, (stands, end, timeout), note)
                break


def _out_of_data(incident: Incident, last: Mapping[int, int | None]) -> Iterator[Finding]:
    """Each rank that ran out of data, with one that had more and waited for it."""
    out = {phase.subject.rank: phase for phase in incident.of(Phase) if phase.phase == "data-end"}
    for rank, phase in out.items():
        for timeout in incident.of(CollectiveTimeout):
            told = timeout.subject.rank
            others = [other for other in last if other not in out and told in (None, other)]
            others = [other for other in others if (last[other] or 0) >= (last.get(rank or 0) or 0)]
            if rank is not None and others:
                note = f"rank {rank} was out of data; rank {others[0]} waited for it in a collective"
                yield Finding(phase.subject, (phase, timeout), note)
                break


SYMPTOM = Symptom(
    title="ranks waited for one that was already done",
    rule=rule,
    leak=0.0008,
    because="ranks that have as many steps are done together",
    command="grep -nE 'step|done' *.log | sort -k2 | tail",
)
