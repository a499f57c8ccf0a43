"""A process died of SIGBUS: it touched a mapped page that nobody could fill, in shared memory or in a mapped file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.job import LauncherFailure, ProcessEnded, WorkerKilled
from ..incident import Incident
from . import Finding, Symptom
from ._errors import matching

BUS = re.compile(r"\b[Bb]us error\b|SIGBUS")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each such end."""
    ends: list[WorkerKilled | ProcessEnded] = [*incident.of(WorkerKilled), *incident.of(ProcessEnded)]
    for fact in ends:
        if fact.signal and BUS.search(fact.signal.replace("BUS", "SIGBUS") if fact.signal == "BUS" else fact.signal):
            yield Finding(fact.subject, (fact,), f"process {fact.subject.pid or 'of the job'} died of a bus error")
    for failure in incident.of(LauncherFailure):
        if failure.exit_code in (-7, 135):
            yield Finding(failure.subject, (failure,), "a rank died of a bus error")
    for said in matching(incident, BUS):
        yield Finding(said.fact.subject, (said.fact,), said.text.splitlines()[0][:160])


SYMPTOM = Symptom(
    title="a process died of a bus error",
    rule=rule,
    leak=0.012,
    because="besides shared memory, any mapped file whose pages cannot be read does it",
    command="df -h /dev/shm; dmesg -T | tail -n 50; ls -l DATA",
)
