"""What was lost: steps since the last whole checkpoint, idle time, GPU-hours, and money at a given rate."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import PurePosixPath

from ..evidence import Evidence, Source
from ..evidence.gpu import GpuStatus
from ..evidence.storage import ChecksumVerdict
from ..evidence.supervisor import WatchdogFired
from ..evidence.training import CheckpointEvent, RunStarted, TrainingSteps
from ..incident import Incident
from ..runs import Run

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
class Loss:
    """What the end of one run cost; its moments are None where the log is not dated."""

    number: int
    run: Run
    kept: Save | None
    ended_by: Evidence | None
    first_step_at: datetime | None
    last_step_at: datetime | None
    ended_at: datetime | None

    @property
    def steps(self) -> int | None:
        """Steps that the log shows as done and that are in no usable checkpoint; None when the last is not known."""
        steps, start = self.run.steps, self.run.start
        if self.run.finished:
            return 0
        if steps.last_step is None:
            return None
        first = steps.first_step or 1
        base = 0 if first <= steps.stride else first - 1
        if self.kept:
            base = self.kept.step
        elif isinstance(start, CheckpointEvent) and start.step is not None:
            base = min(start.step, first)
        return max(steps.last_step - base, 0)

    @property
    def is_least(self) -> bool:
        """True where steps before the log's first line may be lost too."""
        return self.run.is_excerpt and not self.kept and bool(self.steps)

    @property
    def told(self) -> str:
        """`steps` in words, with what is not known of them."""
        if self.steps is None:
            return "unknown"
        least = "at least " if self.is_least else ""
        still_open = "" if self.run.finished or self.ended_by else " if it has ended, which nothing says"
        return f"{least}{self.steps}{still_open}"

    @property
    def idle_s(self) -> float | None:
        """Time from the last step to the end, in seconds; None where one is told in UTC and the other in local time."""
        gap = _between(self.last_step_at, self.ended_at)
        return None if gap is None else max(gap.total_seconds(), 0.0)

    @property
    def time(self) -> timedelta | None:
        """Time whose work is lost: from the last usable checkpoint of this run, or its first step, to its end.

        None as `idle_s`.
        """
        if self.run.finished:
            return timedelta(0)
        saved_at = self.kept.at if self.kept else None
        return _between(max((each for each in (saved_at, self.first_step_at) if each), default=None), self.ended_at)


def _between(earlier: datetime | None, later: datetime | None) -> timedelta | None:
    """The time between two moments; None where one is not known or they are told by different clocks."""
    return later - earlier if earlier and later and later.tzinfo is earlier.tzinfo else None


def losses_of(incident: Incident) -> list[Loss]:
    """A loss for each run of the job, by the log and the rank that show most steps of it."""
    steps_of: dict[tuple[str, int | None], int] = defaultdict(int)
    for run in incident.runs:
        steps_of[_log_of(run)] += run.steps.steps
    if not any(steps_of.values()):
        return []
    busiest = max(steps_of, key=lambda log: steps_of[log])
    runs = [run for run in incident.runs if _log_of(run) == busiest]
    return [
        _loss(incident, number, run, following)
        for number, (run, following) in enumerate(zip(runs, [*runs[1:], None], strict=True), start=1)
    ]


def _log_of(run: Run) -> tuple[str, int | None]:
    return run.steps.source.file, run.steps.subject.rank


def _loss(incident: Incident, number: int, run: Run, following: Run | None) -> Loss:
    steps, timeline = run.steps, incident.timeline
    ended = _end(incident, run, following)
    usable = [save for save in saves_of(incident, steps.source.file) if save.usable and _holds(save, run, following)]
    return Loss(
        number,
        run,
        max(usable, key=lambda save: save.step, default=None),
        ended,
        timeline.at(steps),
        timeline.at(steps, steps.last_stamp),
        timeline.at(ended) if ended else None,
    )


def _holds(save: Save, run: Run, following: Run | None) -> bool:
    """True where a checkpoint holds work of a run: it was saved by it, or before it at a step that it began after."""
    line = save.event.source.line
    if following is not None and line >= following.steps.source.line:
        return False
    return line >= run.steps.source.line or save.step <= (run.steps.first_step or 0)


def _end(incident: Incident, run: Run, following: Run | None) -> Evidence | None:
    """What ended a run: the end of its process, or the watchdog's kill before that."""
    at = incident.timeline.at
    last_step, next_run = at(run.steps, run.steps.last_stamp), at(following.steps) if following else None
    if last_step is None:
        return run.ended if following is None else None
    fired = (each for each in incident.of(WatchdogFired) if incident.links.may_be_beside(run.steps, each))
    ends = [*fired, *([run.ended] if run.ended else [])]  # who killed comes before what died in the same second
    dated = [(moment, each) for each in ends if (moment := at(each)) and moment >= last_step - ROUNDED]
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
