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
from ..incident import Incident
from ._cpus import _fell, _high, _paces
from ._jobs import is_of_the_job
from ._pace import LEAST, lasting_loss
from ._registry import findings_of
from ._symptom import Finding, Symptom

EVEN = 0.6  # of the usual pace, at the last step


def rule(incident: Incident) -> Iterator[Finding]:
    rows = _high(incident)
    if rows and not _fell(incident) and not _at_rest(incident) and not _kept_its_pace(incident):
        for row in rows:
            yield Finding(Subject(host=row.subject.host), (row,), f"CPU pressure {row.avg60:.0f} % over a minute")


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
