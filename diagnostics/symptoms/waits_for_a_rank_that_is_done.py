"""A rank timed out in a collective after another had said that its run was done, at a step that the first had passed.

Or the one that is done has all its calls behind it, by its own count, and the first asked for one more. Or another
had said that its data were exhausted, and the first (or, where the time-out names no rank, some other), whose log
counts as many steps, had not. Or one takes the process group down by its stack, and all the others wait in a
collective. Or as many runs of one log had said that they were done as ranks are missing in a collective below it,
which the others still wait in, without any exception. Whoever is done takes part in nothing more, so that no limit would have been long enough. A rank that is
done and then waits itself for the others, who save or evaluate, is no case of this.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from ..evidence.job import (
    CollectiveProgress,
    CollectiveStuck,
    CollectiveTimeout,
    Phase,
    PythonException,
    RunFinished,
    TrainingSteps,
)
from ..incident import Incident
from . import Finding, Symptom
from ._ranks import positions
from ._runs import job_ends

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
    yield from _out_of_data(incident, last)
    yield from _as_many_as_missing(incident)


def _as_many_as_missing(incident: Incident) -> Iterator[Finding]:
    """The runs of one log that said that they were done, where they are as many as the ranks that then were missing."""
    if incident.of(PythonException) or job_ends(incident):
        return
    done: dict[str, list[RunFinished]] = defaultdict(list)
    for fact in incident.of(RunFinished):
        done[fact.source.file].append(fact)
    for stuck in incident.of(CollectiveStuck):
        told = done[stuck.source.file]
        before = all(fact.source.line < stuck.source.line for fact in told)
        if told and before and len(told) == len(stuck.missing_ranks):
            ranks = ", ".join(map(str, stuck.missing_ranks))
            yield Finding(stuck.subject, (*told[:4], stuck), f"{len(told)} ranks were done; {ranks} are waited for")
            return


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
                note = f"rank {stands.subject.rank} was done after call {last}; rank {timeout.subject.rank} waited in {timeout.sequence}"
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
