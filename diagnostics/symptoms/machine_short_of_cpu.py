"""The machine's CPUs are wanted by more tasks than they can run: 60 % some-pressure over a minute and over five.

It does not say whose tasks wait. They are the job's where its pace fell under the pressure, which is a sign of its own
(cpu-starved-signs). They are others' where the job's processes were looked at and none could run, and where the steps
kept their pace until an error, a time-out of a collective or a limit that other work outlasted ended the run, or until
its own good end. Low pressure is the absence of cpu-starved-signs.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from ..evidence import Subject
from ..evidence.collective import CollectiveTimeout
from ..evidence.process import ProcessState
from ..evidence.storage import Pressure
from ..incident import Incident
from ._jobs import is_of_the_job
from ._registry import findings_of
from ._symptom import Finding, Symptom
from .pace_fell import FEWEST, LEAST, lasting_loss
from .throughput_collapsed import rates as paces_of

HIGH = 60.0
EVEN = 0.6  # of the usual pace, at the last step


def rule(incident: Incident) -> Iterator[Finding]:
    rows = _high(incident)
    if rows and not _fell(incident) and not _at_rest(incident) and not _kept_its_pace(incident):
        for row in rows:
            yield Finding(Subject(host=row.subject.host), (row,), f"CPU pressure {row.avg60:.0f} % over a minute")


def felt_pressure(incident: Incident) -> Iterator[Finding]:
    """The machine's pressure where the pace of the job's steps fell."""
    rows = _high(incident)
    for row in rows if rows and _fell(incident) else ():
        note = f"CPU pressure {row.avg60:.0f} % over a minute, and the pace fell"
        yield Finding(Subject(host=row.subject.host), (row,), note)


def _high(incident: Incident) -> list[Pressure]:
    return [
        row
        for row in incident.of(Pressure)
        if (row.resource, row.scope, row.subject.cgroup) == ("cpu", "some", None) and min(row.avg60, row.avg300) >= HIGH
    ]


def _fell(incident: Incident) -> bool:
    return any(lasting_loss(pace) > LEAST for pace in _paces(incident))


def _paces(incident: Incident) -> list[list[float]]:
    """The paces of each run that shows enough of them, without its warm-up."""
    return [pace for run in incident.runs if len(pace := paces_of(run.steps)[2:]) >= FEWEST]


def _at_rest(incident: Incident) -> bool:
    """True where the job's processes were looked at and none could run: whoever lacks a CPU is runnable."""
    states = {row.state for row in incident.of(ProcessState) if is_of_the_job(row) and row.state}
    return bool(states) and "R" not in states


def _kept_its_pace(incident: Incident) -> bool:
    """True where the steps had kept their pace before an end that has another reason: the pressure took nothing from
    them.
    """
    paces = _paces(incident)
    kept = bool(paces) and all(lasting_loss(pace) <= LEAST and pace[-1] >= EVEN * median(pace) for pace in paces)
    if not kept:
        return False
    ended = any(run.failed or run.ended_in_order for run in incident.runs) or bool(incident.of(CollectiveTimeout))
    return ended or bool(findings_of(incident, "phase-outlasts-limit", "bar-stands-at-limit"))


SYMPTOM = Symptom(
    title="the machine is short of CPU",
    rule=rule,
    leak=0.05,
    because="builds, other jobs and neighbours keep a machine busy for minutes now and then, and jobs live with it",
    command="cat /proc/pressure/cpu; ps -eo pid,stat,pcpu,comm --sort=-pcpu | head -20; uptime; nproc",
)
