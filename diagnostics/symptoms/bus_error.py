"""A process died of SIGBUS: it touched a mapped page that nobody could fill, in shared memory or in a mapped file.

A loader's worker is another symptom.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.supervisor import LauncherFailure, ProcessEnded, SchedulerEvent
from ..incident import Incident
from ._errors import matching
from ._loading import WORKER
from ._symptom import Finding, Symptom

BUS = re.compile(r"\b[Bb]us error\b|SIGBUS")
SIGNAL = re.compile(r"(?:SIG)?BUS|.*\b[Bb]us error\b.*")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each such end."""
    for fact in incident.of(ProcessEnded):
        if fact.signal and SIGNAL.fullmatch(fact.signal):
            yield Finding(fact.subject, (fact,), f"process {fact.subject.pid or 'of the job'} died of a bus error")
    for failure in incident.of(LauncherFailure):
        if failure.exit_code in (-7, 135):
            yield Finding(failure.subject, (failure,), "a rank died of a bus error")
    for event in incident.of(SchedulerEvent):
        if event.exit_code == 135:
            yield Finding(event.subject, (event,), "a container died of a bus error")
    for said in matching(incident, BUS):
        if not WORKER.search(said.text):
            yield Finding(said.fact.subject, (said.fact,), said.text.splitlines()[0][:160])


SYMPTOM = Symptom(
    title="a process died of a bus error",
    rule=rule,
    leak=0.012,
    because="besides shared memory, any mapped file whose pages cannot be read does it",
    command="df -h /dev/shm; dmesg -T | tail -n 50; ls -l DATA",
)
