"""The last run makes steps at an even pace with finite losses, and nothing ended it early.

At least five steps, the last third at no less than half the median pace, no lasting loss of pace, at most one step in
ten (but the first) at a third of the usual pace or at three times it, no exception in its log and no bad end of its
process, which does not outlive the run's own word of its end. Where a process table was taken after the last step, it
shows a process that may be the run's, or somebody says how the run ended: a log that ends in mid-run while nothing is
left of its process tells of no health, nor does one beside the stack of a main thread that idles where no step waits.

Three steps are enough where a second witness saw the GPUs busy about when the log ends. Where nothing is dated four
lines of ten steps or more each are, if three or more readings of the GPUs show full load, and not all 100 %, as of
those that wait for one another. One epoch is, where only the tail of a log is at hand, somebody looked at the clock
before the next epoch could be over, and the GPUs were busy then: another output of the run that shows less is late.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from statistics import median

from ..evidence import Evidence
from ..evidence.gpu import GpuStatus
from ..evidence.job import PythonException
from ..evidence.kernel import ClockReading
from ..evidence.process import NativeStack, ProcessState, PythonStack, ThreadState
from ..evidence.training import EpochTime, NonFiniteValue, RunFinished, RunStarted
from ..incident import Incident
from ..runs import Run, job_ends
from ._jobs import is_of_the_job
from ._pace import LEAST, lasting_loss, rates
from ._ranks import stands_idle
from ._runs import is_finite_again, stays
from ._symptom import Finding, Symptom

FEWEST, FEWEST_SEEN = 5, 3  # steps: by the log alone, and with a second witness
FEWEST_UNDATED, STEPS_OF_A_LINE, LOOKS = 4, 10, 3
BUSY_PERCENT, FULL_PERCENT = 50.0, 90.0
SEEN = (ProcessState, ThreadState, PythonStack, NativeStack)
FAR, ODD = 3.0, 0.1
AT_ONCE = timedelta(minutes=1)
PATIENCE = 3.0  # paces between the last step and the look


def rule(incident: Incident) -> Iterator[Finding]:
    """Each log's last run, where it is well."""
    bad = any(not is_finite_again(incident, fact) for fact in incident.of(NonFiniteValue))
    for run in incident.runs:
        if not run.is_last or bad or _vanished(incident, run) or stands_idle(incident, run):
            continue
        if _well(incident, run, _at_work(incident, run)):
            yield Finding(run.steps.subject, (run.steps,), f"{run.steps.steps} steps at an even pace")
    if not bad:
        yield from _of_epochs(incident)


def _of_epochs(incident: Incident) -> Iterator[Finding]:
    """The last epoch of each log that ended less than an epoch before somebody looked, if the job was then at work."""
    looked = None if job_ends(incident) else _collected(incident)
    last = {fact.source.file: fact for fact in incident.of(EpochTime)}
    for fact in last.values() if looked else ():
        end = incident.timeline.at(fact)
        since_s = (looked - end).total_seconds() if looked and end else -1.0
        raised = any(error.source.file == fact.source.file for error in incident.of(PythonException))
        if 0 <= since_s <= fact.seconds and _busy_about(incident, looked, fact.seconds) and not raised:
            note = f"epoch {fact.epoch} took {fact.seconds:.0f} s and had ended {since_s:.0f} s before somebody looked"
            yield Finding(fact.subject, (fact,), note)


def _at_work(incident: Incident, run: Run) -> bool:
    """True when somebody saw the job work about when the log ends: every GPU that was looked at was busy."""
    patience = PATIENCE * (run.pace_s or 0.0)
    if end := incident.timeline.at(run.steps, run.steps.last_stamp):
        return _busy_about(incident, end, patience)
    looks = [fact for fact in incident.of(GpuStatus) if fact.utilisation_percent is not None]
    gaps_s = (incident.timeline.elapsed_s(run.steps, look, since=run.steps.last_stamp) for look in looks)
    near = [look for look, gap_s in zip(looks, gaps_s, strict=True) if gap_s is not None and abs(gap_s) <= patience]
    return _all_busy(near)


def _at_full_load(incident: Incident, run: Run) -> bool:
    """True where nothing is dated, each line stands for many steps, and whoever looked found the GPUs at full load."""
    first, last, lines = run.steps.first_step, run.steps.last_step, run.steps.steps
    if first is None or last is None or last - first < STEPS_OF_A_LINE * (lines - 1):
        return False
    looks = [fact for fact in incident.of(GpuStatus) if fact.utilisation_percent is not None]
    if run.steps.stamp is not None or any(fact.stamp for fact in looks):
        return False
    load = [fact.utilisation_percent or 0.0 for fact in looks]
    return len(load) >= LOOKS and FULL_PERCENT <= min(load) < 100.0


def _busy_about(incident: Incident, end: datetime | None, patience: float) -> bool:
    if end is None:
        return False
    collected = _collected(incident)
    dated = [
        (fact, incident.timeline.at(fact) or collected)
        for fact in incident.of(GpuStatus)
        if fact.utilisation_percent is not None
    ]
    near = [fact for fact, moment in dated if moment and abs((moment - end).total_seconds()) <= patience]
    return _all_busy(near)


def _all_busy(near: Sequence[GpuStatus]) -> bool:
    return bool(near) and all((fact.utilisation_percent or 0.0) >= BUSY_PERCENT for fact in near)


def _vanished(incident: Incident, run: Run) -> bool:
    """True where nobody says how the run ended, and the process tables of the time after it show none that may be its
    own.

    A table is of that time where its rows are dated after the last step, or nothing dates them before it.
    """
    tables = {each.file for each in incident.reads("process-table")}
    if not tables or run.finished or run.ended or len(job_ends(incident)) + len(incident.of(RunFinished)):
        return False
    end = incident.timeline.at(run.steps, run.steps.last_stamp)
    for row in incident.of(ProcessState):
        at = incident.timeline.at(row)
        if row.source.file in tables and at and end and at < end:
            tables.discard(row.source.file)
    return bool(tables) and not any(_may_be_the_runs(incident, fact) for fact in incident.of(*SEEN))


def _may_be_the_runs(incident: Incident, fact: Evidence) -> bool:
    """True for a process that lives, and that a run names as its own or whose name or command is of the kind. A worker
    of a loader is what a dead trainer leaves behind, too.
    """
    named = any(fact.subject.pid == run.subject.pid is not None for run in incident.of(RunStarted))
    of_the_kind = is_of_the_job(fact) and fact.subject.comm != "pt_data_worker"
    return getattr(fact, "state", None) not in ("Z", "X") and (named or of_the_kind)


def _collected(incident: Incident) -> datetime | None:
    """When the artefacts were collected, where the clocks among them agree to a minute: the date of undated
    snapshots.
    """
    readings = [reading for reading in incident.of(ClockReading) if reading.wall_s is not None]
    moments = [at for reading in readings if (at := incident.timeline.at(reading))]
    if not moments or len({moment.tzinfo for moment in moments}) > 1 or max(moments) - min(moments) > AT_ONCE:
        return None
    return moments[0]


def _well(incident: Incident, run: Run, seen_at_work: bool) -> bool:
    pace = rates(run.steps)
    fewest = FEWEST_SEEN if seen_at_work else FEWEST_UNDATED if _at_full_load(incident, run) else FEWEST
    if run.steps.steps < fewest or len(pace) < fewest - 1 or run.failed:
        return False
    if run.finished and stays(incident, run.finished):
        return False
    if run.ended_badly or lasting_loss(pace) >= LEAST:
        return False
    tail, usual = pace[-max(len(pace) // 3, 1) :], median(pace)
    odd = sum(not usual / FAR <= each <= usual * FAR for each in pace[1:])
    return median(tail) >= 0.5 * usual and odd <= len(pace) * ODD


SYMPTOM = Symptom(
    title="the last run makes even progress",
    rule=rule,
    leak=0.5,
    because="the normal state of a run",
    command="tail -n 100 train.log",
    healthy=True,
)
