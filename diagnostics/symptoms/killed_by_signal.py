"""A process of the job was ended by SIGKILL or SIGTERM, whoever sent it.

What a launcher sends to the survivors of a rank that left with an error of its own does not count. ABSENT where the
exit status of the job is known and is no signal's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.supervisor import LauncherFailure, WorkerKilled
from ..incident import Incident
from ..runs import job_ends
from ._symptom import Finding, Symptom

# what a launcher does to the survivors once one rank has failed
LAUNCHER_ENDS_THE_REST = re.compile(r"Sending process \d+ closing signal|Unable to shutdown process")
BY_SIGTERM = (-15, 143)
BY_SIGNAL = (-9, 137, *BY_SIGTERM)
SIGNALS = ("KILL", "TERM", "Killed", "Terminated")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each process that such a signal ended; else the ends that were none."""
    found = False
    for fact in job_ends(incident):
        if LAUNCHER_ENDS_THE_REST.search(fact.text):
            continue
        if fact.signal and any(name in fact.signal for name in SIGNALS):
            found = True
            yield Finding(fact.subject, (fact,), f"a process was ended by {fact.signal}")
    for worker in incident.of(WorkerKilled):
        if any(name in worker.signal for name in SIGNALS):
            found = True
            yield Finding(worker.subject, (worker,), f"a DataLoader worker was ended by {worker.signal}")
    failures = incident.of(LauncherFailure)
    own = {failure.source.file for failure in failures if failure.exit_code not in (None, 0, *BY_SIGNAL)}
    for failure in failures:
        after_another = failure.exit_code in BY_SIGTERM and failure.source.file in own and not failure.first
        if failure.exit_code in BY_SIGNAL and not after_another:
            found = True
            yield Finding(failure.subject, (failure,), f"a rank was ended by signal {abs(failure.exit_code) % 128}")
    others = [end for end in job_ends(incident) if end.status is not None and not end.signal]
    if others and not found:
        yield Finding(Subject(), tuple(others), "no process was ended by a signal", present=False)


SYMPTOM = Symptom(
    title="a process of the job was killed",
    rule=rule,
    leak=0.25,
    because="operators, schedulers and launchers kill jobs every day",
    command="cat exit_status.txt; journalctl -k | grep -i -E 'kill|oom'",
)
