"""Shared memory had no room, in the words of who asked for it: ENOSPC on a segment or on /dev/shm, a segment that could
not be extended, a store that was put elsewhere because /dev/shm is too small.

A segment that is gone is another symptom.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from ._errors import matching
from ._shared_memory import SHARED_MEMORY, makes_segments
from ._space import NO_DISK, NO_SPACE
from ._symptom import Finding, Symptom

NO_ROOM = re.compile(
    r"unable to write to file </torch|[Uu]nable to (?:allocate|resize|write to) shared memory|failed to extend /dev/shm"
    "|[Cc]ould not resize shared memory segment|request exceeds memory available in /dev/shm"
    r"|Call to (?:posix_fallocate|ftruncate) failed|insufficient shared memory \(shm\) available"
    r"|instead of /dev/shm because /dev/shm has only"
    r"|object store size .{0,40}exceeds /dev/shm size"
    r"|insufficient shared (?:memory|storage space)|storage space (?:in|of) /dev/shm is (?:enough|sufficient)"
)
REFUSED = re.compile(f"{NO_ROOM.pattern}|(?i:{NO_SPACE.pattern})")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each such refusal."""
    for said in matching(incident, REFUSED, "ENOSPC"):
        of_memory = SHARED_MEMORY.search(said.text) or makes_segments(said.fact)
        if NO_ROOM.search(said.text) or (of_memory and not NO_DISK.search(said.text)):
            yield Finding(said.fact.subject, (said.fact,), said.text.splitlines()[0][:160])


SYMPTOM = Symptom(
    title="shared memory had no room",
    rule=rule,
    leak=0.0003,
    because="only a full /dev/shm refuses a segment for want of room",
    command="df -h /dev/shm; ls -la /dev/shm | head",
)
