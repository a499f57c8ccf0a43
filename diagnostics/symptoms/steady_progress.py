"""The last run makes steps at an even pace with finite losses, and nothing ended it early.

At least five steps, the last third at no less than half the median pace, no lasting loss of pace, no exception in its log and no bad end
of its process. Three steps are enough where a second witness saw the GPUs busy about when the log ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from statistics import median

from ..evidence import Stamp
from ..evidence.gpu import GpuStatus
from ..evidence.job import NonFiniteValue
from ..evidence.kernel import ClockReading
from ..incident import Incident
from . import Finding, Symptom
from ._runs import Run, is_finite_again, runs
from .pace_fell import LEAST as LEAST_LOSS
from .pace_fell import lasting_loss
from .throughput_collapsed import rates

FEWEST, FEWEST_SEEN = 5, 3  # steps: by the log alone, and with a second witness
BUSY_PERCENT = 50.0
PATIENCE = 3.0  # paces between the last step and the look


def rule(incident: Incident) -> Iterator[Finding]:
    """Each log's last run, where it is well."""
    bad = any(not is_finite_again(incident, fact) for fact in incident.of(NonFiniteValue))
    for run in runs(incident):
        if run.is_last and _well(run, _at_work(incident, run)) and not bad:
            yield Finding(run.steps.subject, (run.steps,), f"{run.steps.steps} steps at an even pace")


def _at_work(incident: Incident, run: Run) -> bool:
    """True when somebody saw the job work about when the log ends: every GPU that was looked at was busy."""
    end, patience = incident.timeline.at(run.steps, _last(run)), PATIENCE * (run.pace_s or 0.0)
    if end is None:
        return False
    collected = _collected(incident)
    dated = [
        (fact, incident.timeline.at(fact) or collected)
        for fact in incident.of(GpuStatus)
        if fact.utilisation_percent is not None
    ]
    near = [fact for fact, moment in dated if moment and abs((moment - end).total_seconds()) <= patience]
    return bool(near) and all((fact.utilisation_percent or 0.0) >= BUSY_PERCENT for fact in near)


def _collected(incident: Incident) -> datetime | None:
    """When the artefacts were collected, where exactly one `date` among them says so: the date of undated snapshots."""
    readings = [reading for reading in incident.of(ClockReading) if reading.wall_s is not None]
    return datetime.fromtimestamp(readings[0].wall_s or 0.0, UTC) if len(readings) == 1 else None


def _last(run: Run) -> Stamp | None:
    stamp = run.steps.stamp
    return stamp._replace(seconds=run.last_step_s) if stamp and run.last_step_s is not None else None


def _well(run: Run, seen_at_work: bool) -> bool:
    pace = rates(run.steps)
    fewest = FEWEST_SEEN if seen_at_work else FEWEST
    if run.steps.steps < fewest or len(pace) < fewest - 1 or run.failed:
        return False
    if run.ended and (run.ended.status not in (0, None) or run.ended.signal):
        return False
    if lasting_loss(pace) >= LEAST_LOSS:
        return False
    tail = pace[-max(len(pace) // 3, 1) :]
    return median(tail) >= 0.5 * median(pace)


SYMPTOM = Symptom(
    title="the last run makes even progress",
    rule=rule,
    leak=0.5,
    because="the normal state of a run",
    command="tail -n 100 train.log",
    healthy=True,
)
