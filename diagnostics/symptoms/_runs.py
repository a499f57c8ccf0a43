"""The runs of a job as its log shows them: first and last step, the pace between, and what came after."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple
from weakref import WeakKeyDictionary

from ..evidence import Clock, Evidence, Stamp
from ..evidence.job import (
    NonFiniteValue,
    ProcessEnded,
    PythonException,
    RunFinished,
    RunStarted,
    TrainingSteps,
    WaitCounted,
)
from ..evidence.process import NativeStack, ProcessState, PythonStack, ThreadState
from ..evidence.storage import CommandOutcome
from ..incident import Incident
from ._jobs import is_of_the_job

OUTLIVED_S = (
    300.0  # a client of a network filesystem waits so long: CephFS evicts after 300 s, CIFS reconnects after 180 s
)
WENT_ON = 5  # steps after a fact; other ranks may log one or two more when a run fails
LONGER, FINITE_AGAIN = 5, 3  # steps: of a run whose bad values may pass, and of its end


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
    def ended_badly(self) -> bool:
        """True when the end of its process is known, and was a signal or a status other than 0."""
        return self.ended is not None and (self.ended.status not in (0, None) or bool(self.ended.signal))

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


def stays(incident: Incident, done: RunFinished) -> bool:
    """True where nobody says how the job ended, and a process of it lives after its last word as far as anybody can
    tell.
    """
    said = incident.timeline.at(done)
    living = [] if job_ends(incident) else [row for row in incident.of(ProcessState) if row.state not in ("Z", "X")]
    return any(is_of_the_job(row) and not ((at := incident.timeline.at(row)) and said and at < said) for row in living)


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
    return [run for log in logs.values() for run in _runs_of(log, _ends_beside(incident, log, elsewhere))]


def _ends_beside(incident: Incident, log: _Log, ends: Sequence[ProcessEnded]) -> Sequence[ProcessEnded]:
    """The ends that may have been on the machine of a log: what ended on another one was another process."""
    return [end for end in ends if incident.links.may_be_beside(log.steps[0], end)] if log.steps else ends


def _runs_of(log: _Log, elsewhere: Sequence[ProcessEnded]) -> Iterator[Run]:
    """The runs of one log; `elsewhere` are the dated ends of all files of its machine."""
    starts = sorted(fact.source.line for fact in (*log.steps, *log.started))
    for place, steps in enumerate(log.steps):
        line = steps.source.line
        following = bisect_right(starts, line)
        stop = starts[following] if following < len(starts) else 10**12
        seconds = _finite(steps.columns.get("seconds", ()))
        began = [fact.stamp.seconds for fact in log.started if fact.source.line <= line and fact.stamp]
        times = [gap for gap in gaps(steps) if gap > 0]
        yield Run(
            steps,
            began[-1] if began else None,
            seconds[0] if seconds else None,
            seconds[-1] if seconds else None,
            median(times) if times else None,
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


def gaps(steps: TrainingSteps) -> list[float]:
    """Seconds from each step that is dated to the next; for a row that stands for several lines, their mean."""
    seconds = steps.columns.get("seconds", ())
    counts = steps.columns.get("count", itertools.repeat(1.0))
    dated = [(at, count) for at, count in zip(seconds, counts, strict=False) if at == at]
    return [(at - before) / count for (before, _), (at, count) in itertools.pairwise(dated)]


def column(steps: TrainingSteps, *names: str) -> list[float]:
    """The finite values of the first of the columns that is logged."""
    for name in names:
        values = _finite(steps.columns.get(name, ()))
        if values:
            return values
    return []


def outlived(run: Run, fact: Evidence, incident: Incident) -> bool:
    """True when the run made steps both before a fact and for minutes after it."""
    moment = incident.timeline.at(fact)
    stamp = run.steps.stamp
    if moment is None and fact.source.file == run.steps.source.file:
        return _goes_on_below(run, fact.source.line)
    if moment is None or stamp is None or run.first_step_s is None or run.last_step_s is None:
        return False
    began = incident.timeline.at(run.steps)
    if began is None:
        return False
    since = (moment - began).total_seconds() + stamp.seconds
    return run.first_step_s - OUTLIVED_S <= since <= run.last_step_s - OUTLIVED_S


def ended_in_order(run: Run) -> bool:
    """True when the process of a log's last run ended with status 0, and nothing was raised before."""
    return run.is_last and not run.failed and run.ended is not None and run.ended.status == 0


def ended_well(run: Run, fact: Evidence) -> bool:
    """True when the log of a fact goes on with steps of its run, up to a good end; or when the fact is a look at a
    live process, and the run ended with status 0: whoever was looked at still had to end.
    """
    if isinstance(fact, (PythonStack, NativeStack, ThreadState)):
        return ended_in_order(run) and fact.subject.pid in (None, run.steps.subject.pid or fact.subject.pid)
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


def is_finite_again(incident: Incident, fact: NonFiniteValue) -> bool:
    """True where a number that was none is one in all of the last steps of a longer run."""
    for run in runs(incident):
        values, lines = run.steps.columns.get(fact.quantity, ()), run.steps.columns.get("line", ())
        if run.steps.source.file == fact.source.file and fact.source.line in lines and len(values) >= LONGER:
            return all(math.isfinite(value) for value in values[-FINITE_AGAIN:])
    return False


def is_one_overflow(incident: Incident, fact: NonFiniteValue) -> bool:
    """True for the only infinite gradient norm of a run whose loss is finite there and after: what a loss scaler
    skips.
    """
    for run in runs(incident):
        columns = run.steps.columns
        lines, norms, losses = (columns.get(name, ()) for name in ("line", "grad_norm", "loss"))
        if run.steps.source.file == fact.source.file and fact.source.line in lines and losses and norms:
            odd = [norm for norm in norms if norm is not None and not math.isfinite(norm)]
            since = losses[list(lines).index(fact.source.line) :]
            return len(odd) == 1 and math.isinf(odd[0]) and all(loss is None or math.isfinite(loss) for loss in since)
    return False


def went_on_after(incident: Incident, fact: Evidence) -> bool:
    """True where the log of a fact goes on with steps of its rank, as it does after an exception that was caught."""
    for steps in incident.of(TrainingSteps):
        same_rank = fact.subject.rank is None or steps.subject.rank in (None, fact.subject.rank)
        lines = steps.columns.get("line", ())
        same_log = steps.source.file == fact.source.file and same_rank
        if same_log and len(lines) >= WENT_ON and lines[-WENT_ON] > fact.source.line:
            return True
    return False


def unanswered_waits(incident: Incident) -> list[WaitCounted]:
    """The waits that the job counted, and after which its log tells of no step and no end."""
    later = [(run.source.file, lines[-1]) for run in incident.of(TrainingSteps) if (lines := run.columns.get("line"))]
    later += [(end.source.file, end.source.line) for end in incident.of(RunFinished)]
    return [
        wait
        for wait in incident.of(WaitCounted)
        if not any(file == wait.source.file and line > wait.source.line for file, line in later)
    ]


def calendar_s(stamp: Stamp | None) -> float | None:
    """Seconds since the epoch where the stamp is on the calendar."""
    return stamp.seconds if stamp and stamp.clock in (Clock.UTC, Clock.LOCAL) else None


def all_finished(incident: Incident) -> bool:
    """True where there is a run, and the last of each log came to its end without an error."""
    last = [run for run in runs(incident) if run.is_last]
    return bool(last) and all(run.finished and not run.failed for run in last)
