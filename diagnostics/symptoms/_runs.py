"""What the runs of a job tell of a fact: whether one went on, ended well, or was finite again after it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ..evidence import Evidence
from ..evidence.job import PythonException
from ..evidence.process import ProcessState
from ..evidence.supervisor import LauncherFailure, SchedulerEvent, WatchdogFired
from ..evidence.training import NonFiniteValue, RunFinished, TrainingSteps, WaitCounted
from ..incident import Incident
from ..runs import ROUNDED_S, Run, job_ends
from ..timeline import Instant
from ._jobs import is_of_the_job
from ._once import once_per_incident

FETCHED_AHEAD = 20  # steps
STARTED_AGAIN_S = 3600.0  # a job that begins later after a kill was not started again for it
# a script of the distribution, and a thread of the kernel
OF_THE_SYSTEM = re.compile(
    r"(?:/usr)?(?:/bin/)?python[\d.]{0,6} (?:-\S{1,8} ){0,3}/usr/(?:s?bin|lib|libexec|share)/|\[[^\]]{1,64}\]$"
)
WENT_ON = 5  # steps after a fact; other ranks may log one or two more when a run fails
LONGER, FINITE_AGAIN = 5, 3  # steps: of a run whose bad values may pass, and of its end


def stays(incident: Incident, done: RunFinished) -> bool:
    """True where nobody says how the job ended, and a process of it lives after its last word as far as anybody can
    tell.
    """
    said = incident.timeline.at(done)
    living = [] if job_ends(incident) else [row for row in incident.of(ProcessState) if row.state not in ("Z", "X")]
    return any(is_of_the_job(row) and not ((at := incident.timeline.at(row)) and said and at < said) for row in living)


def _finite(values: Sequence[float]) -> list[float]:
    return [value for value in values if value == value]


def column(steps: TrainingSteps, *names: str) -> list[float]:
    """The finite values of the first of the columns that is logged."""
    for name in names:
        values = _finite(steps.columns.get(name, ()))
        if values:
            return values
    return []


def all_ended_well_after(incident: Incident, fact: Evidence) -> bool:
    """True where every log's last run came to a good end, one of them after a fact: it took nothing from the job."""
    last = [run for run in incident.runs if run.is_last]
    if not last or not all(
        (run.finished or run.ended_in_order) and not (run.failed or run.ended_badly) for run in last
    ):
        return False
    ends = (end for run in last for end in (run.finished, run.ended) if end)
    return any((incident.timeline.elapsed_s(fact, end) or 0.0) > 0 for end in ends)


def killed_another(incident: Incident, kill: Evidence) -> bool:
    """True where a kill took nothing from the job: every run came to a good end after it, had ended before it, or made
    many steps after it, or a table shows that it began long after it; or the process is of a kind that no job is made
    of, and every run came to a good end at any time, or a table shows what the job's processes are.
    """
    if all_ended_well_after(incident, kill) or _missed_all(incident, kill) or _is_of_an_earlier_job(incident, kill):
        return True
    return not is_of_the_job(kill) and (_job_is_tabled(incident) or all_finished(incident))


def _missed_all(incident: Incident, kill: Evidence) -> bool:
    """True where each run is dated, and had ended seconds before a kill or made more steps after it than workers
    fetch ahead.
    """
    at = incident.timeline.instant(kill)
    last = [run for run in incident.runs if run.is_last]
    return at is not None and bool(last) and all(_missed(run, at) for run in last)


def _missed(run: Run, at: Instant) -> bool:
    over = at.since(run.ended_at) if run.ended_at else None
    if over is not None and over > ROUNDED_S:
        return True
    begun = at.since(run.first_step) if run.first_step else None
    left = run.last_step.since(at) if run.last_step else None
    if begun is None or left is None or not run.pace_s:
        return False
    return left / run.pace_s >= FETCHED_AHEAD


def _is_of_an_earlier_job(incident: Incident, kill: Evidence) -> bool:
    """True where whole tables of processes, read long after a kill, show a job that began long after it, or none; and
    nothing tells of an earlier run, or how one ended.
    """
    rows = [row for row in _whole_tables(incident) if row.elapsed_s is not None]
    read = [incident.timeline.elapsed_s(kill, row) or 0.0 for row in rows]
    begun = _begun_since(incident, kill)
    if not rows or min([*read, *begun]) <= STARTED_AGAIN_S:
        return False
    told = incident.of(LauncherFailure, WatchdogFired, SchedulerEvent, RunFinished, PythonException)
    return not told and not job_ends(incident) and (bool(begun) or not incident.reads("job-log"))


def began_after(incident: Incident, fact: Evidence) -> bool:
    """True where something tells when the job began, and all that does tells of a time after a fact."""
    return min(_begun_since(incident, fact), default=0.0) > 0.0


def _begun_since(incident: Incident, fact: Evidence) -> list[float]:
    """Seconds from a fact to the beginning of each run, and of each process of the job; 0 where no clock tells it."""
    at = incident.timeline.instant(fact)
    begun = [(start.since(at) if at and start else None) or 0.0 for start in map(_beginning, incident.runs)]
    for row in filter(_is_a_job, _whole_tables(incident)):
        if row.elapsed_s is not None:
            begun.append((incident.timeline.elapsed_s(fact, row) or row.elapsed_s) - row.elapsed_s)
    return begun


def _beginning(run: Run) -> Instant | None:
    return run.began or run.first_step


def _is_a_job(row: ProcessState) -> bool:
    return is_of_the_job(row) and not OF_THE_SYSTEM.match(row.command)


@once_per_incident
def _whole_tables(incident: Incident) -> list[ProcessState]:
    """The rows of the process tables that show the first process, and so every one."""
    tables = {each.file for each in incident.reads("process-table")}
    rows = [row for row in incident.of(ProcessState) if row.source.file in tables]
    whole = {row.source.file for row in rows if row.subject.pid == 1}
    return [row for row in rows if row.source.file in whole]


@once_per_incident
def _job_is_tabled(incident: Incident) -> bool:
    tables = {each.file for each in incident.reads("process-table")}
    return any(is_of_the_job(row) for row in incident.of(ProcessState) if row.source.file in tables)


def is_finite_again(incident: Incident, fact: NonFiniteValue) -> bool:
    """True where a number that was none is one in all of the last steps of a longer run."""
    for run in incident.runs:
        values, lines = run.steps.columns.get(fact.quantity, ()), run.steps.columns.get("line", ())
        if run.steps.source.file == fact.source.file and fact.source.line in lines and len(values) >= LONGER:
            return all(math.isfinite(value) for value in values[-FINITE_AGAIN:])
    return False


def is_one_overflow(incident: Incident, fact: NonFiniteValue) -> bool:
    """True for the only infinite gradient norm of a run whose loss is finite there and after: what a loss scaler
    skips.
    """
    for run in incident.runs:
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


def all_finished(incident: Incident) -> bool:
    """True where there is a run, and the last of each log came to its end without an error."""
    last = [run for run in incident.runs if run.is_last]
    return bool(last) and all(run.finished and not run.failed for run in last)
