"""The runs of a job as its log shows them: first and last step, the pace between, and what came after."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple
from weakref import WeakKeyDictionary

from ..evidence import Clock, Evidence, Stamp
from ..evidence.job import ProcessEnded, PythonException, RunFinished, RunStarted, TrainingSteps
from ..evidence.storage import CommandOutcome
from ..incident import Incident


@dataclass(frozen=True)
class Run:
    """One run on one rank: its steps, and the facts of its own log up to the next run's start.

    Times are seconds since the epoch as the log writes them; None where it writes none. `pace_s` is the median
    time between two steps.
    """

    steps: TrainingSteps
    began_s: float | None
    first_step_s: float | None
    last_step_s: float | None
    pace_s: float | None
    finished: RunFinished | None
    ended: ProcessEnded | None
    failed: PythonException | None
    is_last: bool

    @property
    def silent_s(self) -> float | None:
        """Seconds between the last step and the end of the process, where both are dated."""
        if self.ended is None or self.ended.stamp is None or self.last_step_s is None:
            return None
        gap = self.ended.stamp.seconds - self.last_step_s
        return gap if gap >= 0 else None


def job_ends(incident: Incident) -> list[ProcessEnded]:
    """How processes of the job ended; the exit statuses of commands in a shell transcript are not the job's."""
    transcripts = {outcome.source.file for outcome in incident.of(CommandOutcome)}
    return [end for end in incident.of(ProcessEnded) if end.source.file not in transcripts]


def runs(incident: Incident) -> list[Run]:
    """The runs of every log, in reading order; read off the facts once an incident."""
    known = _READ.get(incident)
    if known is None:
        known = _READ[incident] = _read_runs(incident)
    return known


_READ: WeakKeyDictionary[Incident, list[Run]] = WeakKeyDictionary()


class _Log(NamedTuple):
    """The facts of one log that tell of runs, each kind by line."""

    steps: list[TrainingSteps]
    started: list[RunStarted]
    finished: list[RunFinished]
    failed: list[PythonException]
    ended: list[ProcessEnded]


def _read_runs(incident: Incident) -> list[Run]:
    logs: dict[str, _Log] = defaultdict(lambda: _Log([], [], [], [], []))
    for steps in incident.of(TrainingSteps):
        logs[steps.source.file].steps.append(steps)
    for started in incident.of(RunStarted):
        logs[started.source.file].started.append(started)
    for finished in incident.of(RunFinished):
        logs[finished.source.file].finished.append(finished)
    for failed in incident.of(PythonException):
        logs[failed.source.file].failed.append(failed)
    ends = job_ends(incident)
    for end in ends:
        logs[end.source.file].ended.append(end)
    elsewhere = sorted((end for end in ends if end.stamp), key=_seconds)
    return [run for log in logs.values() for run in _runs_of(log, elsewhere)]


def _runs_of(log: _Log, elsewhere: Sequence[ProcessEnded]) -> Iterator[Run]:
    """The runs of one log; `elsewhere` are the dated ends of all files."""
    starts = sorted(fact.source.line for fact in (*log.steps, *log.started))
    for place, steps in enumerate(log.steps):
        line = steps.source.line
        following = bisect_right(starts, line)
        stop = starts[following] if following < len(starts) else 10**12
        seconds = _finite(steps.columns.get("seconds", ()))
        began = [fact.stamp.seconds for fact in log.started if fact.source.line <= line and fact.stamp]
        gaps = [b - a for a, b in itertools.pairwise(seconds) if b > a]
        yield Run(
            steps,
            began[-1] if began else None,
            seconds[0] if seconds else None,
            seconds[-1] if seconds else None,
            median(gaps) if gaps else None,
            next((fact for fact in log.finished if line <= fact.source.line < stop), None),
            _ended([end for end in log.ended if end.source.line > line], elsewhere, seconds[-1] if seconds else None),
            next((fact for fact in log.failed if line <= fact.source.line < stop), None),
            place == len(log.steps) - 1,
        )


def _ended(
    own: Sequence[ProcessEnded], elsewhere: Sequence[ProcessEnded], last_step_s: float | None
) -> ProcessEnded | None:
    """The end that the run's own log reports, else the first dated one after its last step.

    A shell may report the end of a run below the first lines of the next one, so dates come first.
    """
    dated = sorted((each for each in own if each.stamp), key=_seconds) if own else elsewhere
    if dated and last_step_s is not None:
        first = bisect_left(dated, last_step_s - 1, key=_seconds)
        return dated[first] if first < len(dated) else None
    return own[0] if own else None


def _seconds(fact: Evidence) -> float:
    return fact.stamp.seconds if fact.stamp else 0.0


def _finite(values: Sequence[float]) -> list[float]:
    return [value for value in values if value == value]


def column(steps: TrainingSteps, *names: str) -> list[float]:
    """The finite values of the first of the columns that is logged."""
    for name in names:
        values = _finite(steps.columns.get(name, ()))
        if values:
            return values
    return []


def went_on_evenly(incident: Incident, after: Stamp | None) -> TrainingSteps | None:
    """The steps of a run that kept its pace over a dated event and well beyond it, where there is one.

    No gap between two of its lines is five times the median from the event on, at least two lines follow, and nothing
    ended it badly.
    """
    at = calendar_s(after)
    if at is None:
        return None
    for run in runs(incident):
        seconds = _finite(run.steps.columns.get("seconds", ()))
        durations = column(run.steps, "step_s")
        later = [second for second in seconds if second > at]
        if run.failed or len(later) < 2 or not seconds or seconds[0] > at or (run.ended and run.ended.signal):
            continue
        per_step = durations[-len(later) :] or _gaps([max(s for s in seconds if s <= at), *later])
        if max(per_step) <= 5 * median(durations or _gaps(seconds)):
            return run.steps
    return None


def _gaps(seconds: Sequence[float]) -> list[float]:
    return [b - a for a, b in itertools.pairwise(seconds)]


def calendar_s(stamp: Stamp | None) -> float | None:
    """Seconds since the epoch where the stamp is on the calendar."""
    return stamp.seconds if stamp and stamp.clock in (Clock.UTC, Clock.LOCAL) else None
