"""A worker of a data loader died of SIGBUS, in the loader's own words.

Workers hand over their batches in segments of /dev/shm that are mapped before there is room for them. A bus error
of any other process is another symptom.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.supervisor import WorkerKilled
from ..incident import Incident
from ._errors import matching
from ._loading import WORKER
from ._symptom import Finding, Symptom

BUS = re.compile(r"BUS|\bbus error\b", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each such worker."""
    for fact in incident.of(WorkerKilled):
        if fact.signal and BUS.search(fact.signal):
            yield Finding(fact.subject, (fact,), f"worker {fact.subject.pid or 'of a loader'} died of a bus error")
    for said in matching(incident, WORKER):
        yield Finding(said.fact.subject, (said.fact,), said.text.splitlines()[0][:160])


SYMPTOM = Symptom(
    title="a loader worker died of a bus error",
    rule=rule,
    leak=0.001,
    because="a worker maps little else than the segments of its batches",
    command="df -h /dev/shm; ls -la /dev/shm | head",
)
