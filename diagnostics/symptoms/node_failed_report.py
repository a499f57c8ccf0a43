"""The scheduler, or the framework that runs the job, says that a node of the job failed or stopped answering."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.job import SchedulerEvent
from ..incident import Incident
from . import Finding, Symptom
from ._reports import findings, nothing, said, words_of

WORDS = re.compile(
    r"its node has died|node was terminated|marked dead because the detector|lost contact with node|lost communication with a remote daemon", re.I
)


def rule(incident: Incident) -> Iterator[Finding]:
    events = incident.of(SchedulerEvent)
    facts: list[tuple[Evidence, str]] = [(event, event.text) for event in events if event.about == "node-failed"]
    facts += [(fact, words_of(fact)) for fact in said(incident, WORDS)]
    yield from findings(incident, facts)
    if events and not facts:
        yield from nothing(incident.reads("scheduler"), "the scheduler was asked and knows of no failed node")


SYMPTOM = Symptom(
    title="a node of the job failed",
    rule=rule,
    leak=0.004,
    because="the scheduler lost contact for minutes before it says so",
    tells_apart=("host",),
    command="sinfo -R; sacct -j JOB -o JobID,State,NodeList",
)
