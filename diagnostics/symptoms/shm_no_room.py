"""Shared memory had no room: torch, NCCL or another library says that /dev/shm could not hold what it needed.

"No space" for a file of /dev/shm, a segment that could not be extended, or a store that was moved elsewhere because
/dev/shm is too small. A segment that is gone is another symptom.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from . import Finding, Symptom
from ._errors import matching
from ._reports import said, words_of

NO_ROOM = re.compile(
    r"unable to write to file </torch|unable to (?:allocate|resize|write to) shared memory"
    r"|/dev/shm.{0,160}No space left|No space left.{0,160}/dev/shm|shared memory.{0,120}No space left"
    r"|failed to extend /dev/shm|Call to (?:posix_fallocate|ftruncate) failed|insufficient shared memory \(shm\) available"
    r"|instead of /dev/shm because /dev/shm has only|No space left.{0,40}shm_",
    re.S,
)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each such error."""
    for each in matching(incident, NO_ROOM):
        found = NO_ROOM.search(each.text)
        yield Finding(each.fact.subject, (each.fact,), (found[0] if found else each.text)[:160])
    for fact in said(incident, NO_ROOM):
        yield Finding(fact.subject, (fact,), words_of(fact)[:160])


SYMPTOM = Symptom(
    title="shared memory had no room",
    rule=rule,
    leak=0.0002,
    because="the library itself says what it could not get",
    command="df -h /dev/shm; ls -la /dev/shm | head",
)
