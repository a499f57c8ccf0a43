"""The runs of a job as its log shows them: first and last step, the pace between, and what came after."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from ..evidence import Clock, Evidence, Stamp
from ..evidence.job import ProcessEnded, PythonException, RunFinished, RunStarted, TrainingSteps, WatchdogFired
from ..evidence.storage import CommandOutcome
from ..incident import Incident

Fact = TypeVar("Fact", bound=Evidence)


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
    """The runs of every log, in reading order."""
    all_steps = incident.of(TrainingSteps)
    return [_run(incident, steps, all_steps) for steps in all_steps]


def _run(incident: Incident, steps: TrainingSteps, all_steps: Sequence[TrainingSteps]) -> Run:
    file, line = steps.source.file, steps.source.line
    later = [s.source.line for s in all_steps if s.source.file == file and s.source.line > line]
    later += [s.source.line for s in incident.of(RunStarted) if s.source.file == file and s.source.line > line]
    stop = min(later, default=10**12)
    seconds = _finite(steps.columns.get("seconds", ()))
    finished = _first(incident, RunFinished, file, line, stop)
    began = [
        each.stamp.seconds
        for each in incident.of(RunStarted)
        if each.source.file == file and each.source.line <= line and each.stamp
    ]
    ended = _ended(incident, file, line, later, seconds[-1] if seconds else None)
    gaps = [b - a for a, b in itertools.pairwise(seconds) if b > a]
    return Run(
        steps,
        began[-1] if began else None,
        seconds[0] if seconds else None,
        seconds[-1] if seconds else None,
        median(gaps) if gaps else None,
        finished,
        ended,
        _first(incident, PythonException, file, line, stop),
        not any(s.source.line > line for s in all_steps if s.source.file == file),
    )


def _first(incident: Incident, kind: type[Fact], file: str, line: int, stop: float) -> Fact | None:
    return next((f for f in incident.of(kind) if f.source.file == file and line <= f.source.line < stop), None)


def _ended(
    incident: Incident, file: str, line: int, later: Sequence[int], last_step_s: float | None
) -> ProcessEnded | None:
    """The end that the run's own log reports, else the first dated one after its last step.

    A shell may report the end of a run below the first lines of the next one, so dates come first.
    """
    own = [each for each in job_ends(incident) if each.source.file == file and each.source.line > line]
    dated = [each for each in (own or job_ends(incident)) if each.stamp and last_step_s is not None]
    after = [each for each in dated if each.stamp and last_step_s is not None and each.stamp.seconds >= last_step_s - 1]
    if after:
        return min(after, key=lambda each: each.stamp.seconds if each.stamp else 0.0)
    if dated:
        return None
    return own[0] if own else None


def _finite(values: Sequence[float]) -> list[float]:
    return [value for value in values if value == value]


def column(steps: TrainingSteps, *names: str) -> list[float]:
    """The finite values of the first of the columns that is logged."""
    for name in names:
        values = _finite(steps.columns.get(name, ()))
        if values:
            return values
    return []


def longest_silence(incident: Incident) -> tuple[float, Evidence] | None:
    """The longest time without output that a watchdog saw, and its line."""
    found = [(fact.age_s, fact) for fact in incident.of(WatchdogFired) if fact.age_s]
    return max(found, key=lambda pair: pair[0], default=None)


def calendar_s(stamp: Stamp | None) -> float | None:
    """Seconds since the epoch where the stamp is on the calendar."""
    return stamp.seconds if stamp and stamp.clock in (Clock.UTC, Clock.LOCAL) else None
