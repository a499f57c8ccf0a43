"""The runs of a job as its logs show them: first and last step, the pace between, and what came after."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from .evidence import Evidence
from .evidence.job import PythonException
from .evidence.process import NativeStack, PythonStack, ThreadState
from .evidence.storage import CommandOutcome
from .evidence.supervisor import ProcessEnded
from .evidence.training import CheckpointEvent, RunFinished, RunStarted, TrainingSteps
from .facts import Facts
from .links import Links
from .timeline import Instant, Timeline

ROUNDED_S = 1.0  # many tools write whole seconds
OUTLIVED_S = (
    300.0  # a client of a network filesystem waits so long: CephFS evicts after 300 s, CIFS reconnects after 180 s
)


@dataclass(frozen=True)
class Run:
    """One run on one rank: its steps, and the facts of its own log up to the next run's start.

    `start` is the line above its first step that tells of a start or of a checkpoint that it resumes from. Instants are
    None where the log writes no times. `pace_s` is the median time between two steps.
    """

    steps: TrainingSteps
    start: RunStarted | CheckpointEvent | None
    began: Instant | None
    first_step: Instant | None
    last_step: Instant | None
    pace_s: float | None
    finished: RunFinished | None
    ended: ProcessEnded | None
    ended_at: Instant | None
    failed: PythonException | None
    is_last: bool

    @property
    def is_excerpt(self) -> bool:
        """True when its log begins in mid-run: nothing tells of a start, and the steps do not count from one."""
        first = self.steps.first_step
        return not self.start and self.steps.run == 0 and first is not None and first > self.steps.stride

    @property
    def ended_badly(self) -> bool:
        """True when the end of its process is known, and was a signal or a status other than 0."""
        return self.ended is not None and (self.ended.status not in (0, None) or bool(self.ended.signal))

    @property
    def ended_in_order(self) -> bool:
        """True when the process of a log's last run ended with status 0, and nothing was raised before."""
        return self.is_last and not self.failed and self.ended is not None and self.ended.status == 0

    @property
    def silent_s(self) -> float | None:
        """Seconds between the last step and the end of the process, where one clock tells both."""
        gap = self.ended_at.since(self.last_step) if self.ended_at and self.last_step else None
        return gap if gap is not None and gap >= 0 else None


class _End(NamedTuple):
    """How a process ended, and when."""

    fact: ProcessEnded
    at: Instant | None


class _Log(NamedTuple):
    """The facts of one log that tell of runs, each kind by line."""

    steps: list[TrainingSteps]
    started: list[RunStarted]
    resumed: list[CheckpointEvent]
    finished: list[RunFinished]
    failed: list[PythonException]
    ended: list[_End]


def job_ends(facts: Facts) -> list[ProcessEnded]:
    """How processes of the job ended; the exit statuses of commands in a shell transcript are not the job's."""
    transcripts = {outcome.source.file for outcome in facts.of(CommandOutcome)}
    return [end for end in facts.of(ProcessEnded) if end.source.file not in transcripts]


def runs_of(facts: Facts, timeline: Timeline, links: Links) -> list[Run]:
    """The runs of every log, in reading order."""
    logs: dict[str, _Log] = defaultdict(lambda: _Log([], [], [], [], [], []))
    for steps in facts.of(TrainingSteps):
        logs[steps.source.file].steps.append(steps)
    for started in facts.of(RunStarted):
        logs[started.source.file].started.append(started)
    for resumed in facts.of(CheckpointEvent):
        if resumed.event in ("resuming", "resumed"):
            logs[resumed.source.file].resumed.append(resumed)
    for finished in facts.of(RunFinished):
        logs[finished.source.file].finished.append(finished)
    for failed in facts.of(PythonException):
        logs[failed.source.file].failed.append(failed)
    ends = [_End(end, timeline.instant(end)) for end in job_ends(facts)]
    ends.sort(key=lambda end: end.at.seconds if end.at else 0.0)
    for end in ends:
        logs[end.fact.source.file].ended.append(end)
    return [run for log in logs.values() if log.steps for run in _runs_of(log, ends, timeline, links)]


def _runs_of(log: _Log, ends: Sequence[_End], timeline: Timeline, links: Links) -> Iterator[Run]:
    """The runs of one log; `ends` are those of all files, the earliest first."""
    # what ended on another machine was another process
    beside = [end for end in ends if links.may_be_beside(log.steps[0], end.fact)]
    starts = sorted(fact.source.line for fact in (*log.steps, *log.started))
    for place, steps in enumerate(log.steps):
        line = steps.source.line
        following = bisect_right(starts, line)
        stop = starts[following] if following < len(starts) else 10**12
        began = [at for fact in log.started if fact.source.line <= line and (at := timeline.instant(fact))]
        starting: list[RunStarted | CheckpointEvent] = [*log.started, *log.resumed]
        above = [fact for fact in starting if fact.source.line <= line]
        last_step = timeline.instant(steps, steps.last_stamp) if steps.last_stamp else None
        below = [end for end in log.ended if end.fact.source.line > line]
        ended = _end_of(last_step, below, beside)
        times = [gap for gap in gaps(steps) if gap > 0]
        yield Run(
            steps=steps,
            start=max(above, key=lambda fact: fact.source.line, default=None),
            began=began[-1] if began else None,
            first_step=timeline.instant(steps) if last_step else None,
            last_step=last_step,
            pace_s=median(times) if times else None,
            finished=next((fact for fact in log.finished if line <= fact.source.line < stop), None),
            ended=ended.fact if ended else None,
            ended_at=ended.at if ended else None,
            failed=next((fact for fact in log.failed if line <= fact.source.line < stop), None),
            is_last=place == len(log.steps) - 1,
        )


def _end_of(last_step: Instant | None, own: Sequence[_End], beside: Sequence[_End]) -> _End | None:
    """The first end after a run's last step, of those that its own log reports below it, else of all on its machine.

    A shell may report the end of a run below the first lines of the next one, so times come first.
    """
    dated = [(end.at.seconds, end) for end in own or beside if last_step and end.at and end.at.is_comparable(last_step)]
    if last_step and dated:
        first = bisect_left(dated, last_step.seconds - ROUNDED_S, key=lambda each: each[0])
        return dated[first][1] if first < len(dated) else None
    return own[0] if own else None


def gaps(steps: TrainingSteps) -> list[float]:
    """Seconds from each step that is dated to the next; for a row that stands for several lines, their mean."""
    seconds = steps.columns.get("seconds", ())
    counts = steps.columns.get("count", itertools.repeat(1.0))
    dated = [(at, count) for at, count in zip(seconds, counts, strict=False) if at == at]
    return [(at - before) / count for (before, _), (at, count) in itertools.pairwise(dated)]


def outlived(run: Run, fact: Evidence, timeline: Timeline) -> bool:
    """True when the run made steps both before a fact and for minutes after it."""
    at = timeline.instant(fact)
    if fact.source.file == run.steps.source.file and timeline.at(fact) is None:
        return _goes_on_below(run, fact.source.line)
    if at is None or run.first_step is None or run.last_step is None:
        return False
    begun, left = at.since(run.first_step), run.last_step.since(at)
    return begun is not None and left is not None and begun >= -OUTLIVED_S and left >= OUTLIVED_S


def ended_well(run: Run, fact: Evidence) -> bool:
    """True when the log of a fact goes on with steps of its run, up to a good end; or when the fact is a look at a
    live process, and the run ended with status 0: whoever was looked at still had to end.
    """
    if isinstance(fact, (PythonStack, NativeStack, ThreadState)):
        return run.ended_in_order and fact.subject.pid in (None, run.steps.subject.pid or fact.subject.pid)
    earlier = run.steps.run > 0 and fact.source.line < run.steps.source.line
    well = run.is_last and run.finished is not None and not (run.failed or run.ended_badly)
    return well and not earlier and has_steps_below(run.steps, fact)


def has_steps_below(steps: TrainingSteps, fact: Evidence) -> bool:
    """True when steps stand below a fact in its own log."""
    lines = steps.columns.get("line", ())
    return steps.source.file == fact.source.file and bool(lines) and lines[-1] > fact.source.line


def _goes_on_below(run: Run, line: int) -> bool:
    """True when steps of minutes stand below a line of the run's own log, and no earlier run stands above it."""
    lines, seconds = run.steps.columns.get("line", ()), run.steps.columns.get("seconds", ())
    if run.steps.run > 0 and line < run.steps.source.line:
        return False
    below = [at for number, at in zip(lines, seconds, strict=False) if number > line and at == at]
    return bool(below) and below[-1] - below[0] >= OUTLIVED_S
