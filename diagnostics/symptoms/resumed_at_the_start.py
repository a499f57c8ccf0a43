"""A resume went on with the step number of a checkpoint, and the loss is back where the training began.

The checkpoint was opened without an error, the steps count on from it, and the first losses lie within a fifth of the
way that the earlier run had come, seen from its begin. Or where its begin is not told, and its last losses are alike,
the first loss is at three times them: it comes before any update, so that it tells of nothing but the weights. A run
that starts again at its first step has not resumed at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from ..evidence.training import CheckpointEvent
from ..incident import Incident
from ..runs import Run
from ._runs import column
from ._symptom import Finding, Symptom

LEAST_FALL = 0.15  # share of its first loss that the earlier run must have come down by
BACK = 0.2  # share of that way that may be left of it after the resume
FEWEST = 5  # steps of the earlier run
FAR_OFF = 3.0  # times the losses before, of which
ALIKE = 1.2  # times the least is the most
LAST = 2  # losses before the resume
OPENED = ("resuming", "resumed")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each run that goes on from a checkpoint, beside the run of the same job that began at the first steps."""
    known = incident.runs
    for run in known:
        opened = _opened(incident, run)
        first = column(run.steps, "loss")[:1]
        if not opened or not first or (run.steps.first_step or 0) <= FEWEST:
            continue
        for earlier in known:
            losses = column(earlier.steps, "loss")
            if earlier is run or not _goes_on(earlier, run) or _is_of_another(incident, earlier, opened):
                continue
            before = [loss for loss in losses[-3:] if loss > 0]
            alike = len(before) >= LAST and max(before) <= ALIKE * min(before)
            if not _has_begun(earlier) and alike and first[0] >= FAR_OFF * median(before):
                note = f"the loss was {median(before):.4g}, and at the first step after the resume it is {first[0]:.4g}"
                yield Finding(run.steps.subject, (earlier.steps, opened, run.steps), note)
                break
            if len(losses) < FEWEST:
                continue
            begin, reached = losses[0], median(losses[-3:])
            way = begin - reached
            if way >= LEAST_FALL * abs(begin) and first[0] >= begin - BACK * way:
                note = (
                    f"the loss had come from {begin:.4g} to {reached:.4g}, and after the resume at step "
                    f"{run.steps.first_step} it is {first[0]:.4g}"
                )
                yield Finding(run.steps.subject, (earlier.steps, opened, run.steps), note)
                break


def _has_begun(earlier: Run) -> bool:
    """True where the log of a run holds its first steps."""
    return (earlier.steps.first_step or 0) <= FEWEST


def _opened(incident: Incident, run: Run) -> CheckpointEvent | None:
    """The checkpoint that was read last before a run's first step, in its log, where the run began above it."""
    above = [
        event
        for event in incident.of(CheckpointEvent)
        if event.event in OPENED
        and event.source.file == run.steps.source.file
        and event.source.line < run.steps.source.line
    ]
    return above[-1] if above else None


def _is_of_another(incident: Incident, earlier: Run, opened: CheckpointEvent) -> bool:
    """True where the earlier run's log says what it saved, and what was opened is none of it."""
    saved = [
        event.subject.path
        for event in incident.of(CheckpointEvent)
        if event.event in ("saving", "saved") and event.source.file == earlier.steps.source.file and event.subject.path
    ]
    path = opened.subject.path
    return bool(saved and path) and not any(_same(path or "", each) for each in saved)


def _same(one: str, other: str) -> bool:
    """True for two names of one checkpoint: of its folder, or of a file in it, from whatever working directory."""
    shorter, longer = sorted((one.strip("/"), other.strip("/")), key=len)
    return shorter == longer or longer.endswith(f"/{shorter}") or longer.startswith(f"{shorter}/")


def _goes_on(earlier: Run, run: Run) -> bool:
    """True where a run of the same rank had begun before the other one's first step and came at least to it."""
    begins, reaches, resumes = earlier.steps.first_step, earlier.steps.last_step, run.steps.first_step
    if None in (begins, reaches, resumes) or earlier.steps.subject.rank != run.steps.subject.rank:
        return False
    same = earlier.steps.source.file == run.steps.source.file
    if same and earlier.steps.source.line > run.steps.source.line:
        return False
    numbers = column(earlier.steps, "step")
    apart = median(after - before for before, after in pairwise(numbers)) if len(numbers) > 1 else 1
    return (begins or 0) < (resumes or 0) <= (reaches or 0) + max(apart, 1)


SYMPTOM = Symptom(
    title="a resume brought the step number back and not the weights",
    rule=rule,
    leak=0.0005,
    because="a checkpoint that opens gives back what was saved in it",
    command="grep -n -E 'resum|loss' train.log; python -m diagnostics checkpoint verify DIR",
)
