"""An error names a segment of shared memory that could not be opened, mapped or unlinked: it is gone, or was never
made.

A System V semaphore that was removed under its users counts: it goes the same way as a segment.
That there was no room is another symptom, and so is a bare Bus error: a memory-mapped data file can cause it too.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..incident import Incident
from ._errors import matching
from ._shared_memory import SHARED
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    """Each error about a segment."""
    for said in matching(incident, SHARED):
        yield Finding(said.fact.subject, (said.fact,), next(line for line in said.text.splitlines() if line)[:160])


SYMPTOM = Symptom(
    title="shared memory failed",
    rule=rule,
    leak=0.0006,
    because="segments are made and opened without a word unless /dev/shm is full or was cleaned",
    command="df -h /dev/shm; ls -la /dev/shm | head; ipcs -m",
)
