"""What was lost: steps since the last whole checkpoint, idle time, GPU-hours, and money at a given rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import PurePosixPath

from ..evidence import Evidence, Source
from ..evidence.gpu import GpuStatus
from ..evidence.storage import ChecksumVerdict
from ..evidence.supervisor import ProcessEnded, WatchdogFired
from ..evidence.training import CheckpointEvent, RunFinished, RunStarted, TrainingSteps
from ..incident import Incident
from ..runs import job_ends

ROUNDED = timedelta(seconds=1)  # many tools write whole seconds
BROKEN = ("differs", "unreadable", "missing")


@dataclass(frozen=True)
class Save:
    """A checkpoint that a log says was saved, and what is known of its content: "ok", a way of being broken, or ""."""

    event: CheckpointEvent
    step: int
    at: datetime | None
    verdict: str
    verdict_source: Source | None

    @property
    def usable(self) -> bool:
        return self.verdict not in BROKEN


@dataclass(frozen=True)
class Run:
    """One run of the job on one rank: how far it came and what its end cost.

    It `is_excerpt` where its log begins in mid-run: what was saved before that is not known.
    """

    number: int
    steps: TrainingSteps
    last_source: Source
    started_at: datetime | None
    last_step_at: datetime | None
    ended_by: Evidence | None
    ended_at: datetime | None
    kept: Save | None
    finished_by: RunFinished | None
    is_excerpt: bool

    @property
    def finished(self) -> bool:
        """True when the job said that it came to its own end."""
        return self.finished_by is not None

    @property
    def lost_steps(self) -> int | None:
        """Steps done and not in a usable checkpoint; None when the last step is not known."""
        if self.finished or self.steps.last_step is None:
            return 0 if self.finished else None
        base = self.kept.step if self.kept else (self.steps.first_step or 1) - 1
        return max(self.steps.last_step - base, 0)

    @property
    def lost(self) -> str:
        """`lost_steps` in words, with what is not known of them."""
        if self.lost_steps is None:
            return "unknown"
        least = "at least " if self.is_excerpt and not self.kept and self.lost_steps else ""
        still_open = "" if self.finished or self.ended_by else " if it has ended, which nothing says"
        return f"{least}{self.lost_steps}{still_open}"

    @property
    def idle_s(self) -> float | None:
        """Time from the last step to the end, in seconds; None where one is told in UTC and the other in local time."""
        if self.ended_at is None or self.last_step_at is None or self.ended_at.tzinfo is not self.last_step_at.tzinfo:
            return None
        return max((self.ended_at - self.last_step_at).total_seconds(), 0.0)

    @property
    def wasted(self) -> timedelta | None:
        """Time whose work is lost: from the last usable checkpoint of this run, or its first step, to its end.

        None as `idle_s`.
        """
        if self.finished or self.ended_at is None:
            return timedelta(0) if self.finished else None
        since = self.kept.at if self.kept and self.kept.at else None
        start = max((each for each in (since, self.started_at) if each), default=None)
        return self.ended_at - start if start and start.tzinfo is self.ended_at.tzinfo else None


def runs_of(incident: Incident) -> list[Run]:
    """The runs of the job that a training log shows; of several ranks the one that logs most of it."""
    first = [each for each in incident.of(TrainingSteps) if each.steps]
    if not first:
        return []
    busiest = max(
        {each.source.file: 0 for each in first}, key=lambda file: sum(e.steps for e in first if e.source.file == file)
    )
    mine = sorted((each for each in first if each.source.file == busiest), key=lambda each: each.source.line)
    return [_run(incident, mine, index) for index in range(len(mine))]


def _run(incident: Incident, runs: Sequence[TrainingSteps], index: int) -> Run:
    steps = runs[index]
    following = runs[index + 1] if index + 1 < len(runs) else None
    last_line = int(steps.columns["line"][-1])
    last = Source(steps.source.file, last_line, steps.quotes.get(last_line, ""))
    next_at = incident.timeline.at(following) if following else None
    last_at = incident.timeline.at(steps, steps.last_stamp)
    ended = _end(incident, steps, last_at, next_at)
    saves = [save for save in saves_of(incident, steps.source.file) if _before(save, following)]
    usable = [save for save in saves if save.usable]
    finish = [
        each
        for each in incident.of(RunFinished)
        if each.source.file == steps.source.file
        and each.source.line >= last_line
        and (following is None or each.source.line < following.source.line)
    ]
    return Run(
        index + 1,
        steps,
        last if last.quote else steps.source,
        incident.timeline.at(steps),
        last_at,
        ended,
        incident.timeline.at(ended) if ended else None,
        max(usable, key=lambda save: save.step, default=None),
        next(iter(finish), None),
        _begins_in_mid_run(incident, steps),
    )


def _begins_in_mid_run(incident: Incident, steps: TrainingSteps) -> bool:
    """True where nothing above the first step tells of a start, and the count does not begin there either."""
    logged = [step for step in steps.columns.get("step", ()) if step == step]
    between = min((abs(b - a) for a, b in pairwise(logged)), default=0)
    started = any(
        each.source.file == steps.source.file and each.source.line <= steps.source.line
        for each in incident.of(RunStarted)
    )
    return not started and steps.run == 0 and (steps.first_step or 0) > max(between, 1)


def _before(save: Save, following: TrainingSteps | None) -> bool:
    return following is None or save.event.source.line < following.source.line


def _end(
    incident: Incident, steps: TrainingSteps, last_step: datetime | None, next_run: datetime | None
) -> Evidence | None:
    """What ended a run: the first watchdog's kill or process's end on its machine, before the next run."""
    if last_step is None:
        return None
    ends: list[WatchdogFired | ProcessEnded] = [*incident.of(WatchdogFired), *job_ends(incident)]
    ends = [each for each in ends if incident.links.may_be_beside(steps, each)]
    dated = [(at, each) for each in ends if (at := incident.timeline.at(each)) and at >= last_step - ROUNDED]
    inside = [pair for pair in dated if next_run is None or pair[0] < next_run]
    return min(inside, key=lambda pair: pair[0])[1] if inside else None


def saves_of(incident: Incident, file: str) -> list[Save]:
    """The checkpoints that a log says were saved, in order, with what is known of their content."""
    verdicts = {PurePosixPath(v.subject.path).name: v for v in incident.of(ChecksumVerdict) if v.subject.path}
    found = []
    for event in incident.of(CheckpointEvent):
        if event.event != "saved" or event.source.file != file:
            continue
        step = event.step if event.step is not None else _step_before(incident, event)
        if step is None:
            continue
        name = PurePosixPath(event.subject.path or "").name
        verdict = verdicts.get(name) if name else None
        at = incident.timeline.at(event)
        found.append(Save(event, step, at, verdict.outcome if verdict else "", verdict.source if verdict else None))
    return found


def _step_before(incident: Incident, event: CheckpointEvent) -> int | None:
    """The last step that the same log shows above the line that says a checkpoint was saved."""
    found = None
    for run in incident.of(TrainingSteps):
        if run.source.file == event.source.file:
            for line, step in zip(run.columns["line"], run.columns["step"], strict=False):
                if line < event.source.line and step == step:
                    found = int(step)
    return found


def workers_of(incident: Incident) -> tuple[int | None, str, tuple[Source, ...]]:
    """How many GPUs the job had, or else ranks: the number, the word for one, and the lines that say so."""
    seen = {fact.subject.gpu: fact.source for fact in incident.of(GpuStatus) if fact.subject.gpu is not None}
    if seen:
        return len(seen), "GPU", tuple(seen.values())[:2]
    started = [each for each in incident.of(RunStarted) if each.world_size]
    if started:
        best = max(started, key=lambda each: each.world_size or 0)
        return best.world_size, "rank", (best.source,)
    return None, "GPU", ()


def format_hours(hours: float, word: str) -> str:
    """An amount of GPU (or rank) time in the unit that reads best."""
    if hours >= 0.1:
        return f"{hours:.2f} {word}-hours"
    return f"{hours * 60:.1f} {word}-minutes" if hours * 3600 >= 60 else f"{hours * 3600:.0f} {word}-seconds"
