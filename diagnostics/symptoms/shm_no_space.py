"""A write or an allocation in shared memory was refused for want of space: ENOSPC on a segment or on /dev/shm."""

from __future__ import annotations

from collections.abc import Iterator

from ..incident import Incident
from . import Finding, Symptom
from ._errors import matching
from .no_space_error import NO_SPACE, SHARED_MEMORY


def rule(incident: Incident) -> Iterator[Finding]:
    """Each such refusal."""
    for said in matching(incident, NO_SPACE, "ENOSPC"):
        if SHARED_MEMORY.search(said.text):
            yield Finding(said.fact.subject, (said.fact,), said.text.splitlines()[0][:160])


SYMPTOM = Symptom(
    title="shared memory had no space",
    rule=rule,
    leak=0.0004,
    because="only a full /dev/shm returns this errno for a segment",
    command="df -h /dev/shm; ls -la /dev/shm | head",
)
