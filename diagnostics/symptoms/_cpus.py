"""The CPUs that a process may use, and the pressure on those of a machine."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import SettingSeen
from ..evidence.storage import Pressure
from ..incident import Incident
from ._pace import FEWEST, LEAST, lasting_loss, rates
from ._symptom import Finding

FEW = 2
CPUS_ENOUGH = 8
SEVERAL = 3
# what a line ends in: list: 0-3,8      mask: ff      {0, 1}
CPUS = re.compile(r"([0-9a-f][0-9a-f, -]{0,4000})[}\]]?\s*$")
HIGH = 60.0


def cpus_of(fact: SettingSeen) -> str:
    """The CPUs that a process was given, as they were printed."""
    found = CPUS.search(fact.source.quote)
    return found[1].strip() if found else ""


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
    return [pace for run in incident.runs if len(pace := rates(run.steps)[2:]) >= FEWEST]
