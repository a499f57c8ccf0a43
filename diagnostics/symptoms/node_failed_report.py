"""The scheduler, or the framework that runs the job, says that a node of the job failed or stopped answering."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from ._reports import scheduler_reports
from ._symptom import Finding, Symptom

WORDS = re.compile(
    "its node has died|node was terminated|marked dead because the detector|lost contact with node"
    "|lost communication with a remote daemon",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    yield from scheduler_reports(incident, "node-failed", words=WORDS, what="failed node")


SYMPTOM = Symptom(
    title="a node of the job failed",
    rule=rule,
    leak=0.004,
    because="the scheduler lost contact for minutes before it says so",
    tells_apart=("host",),
    command="sinfo -R; sacct -j JOB -o JobID,State,NodeList",
)
