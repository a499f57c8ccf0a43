"""An error names shared memory itself: a segment that could not be made, sized, opened or unlinked, or "no space" on
/dev/shm.

A bare Bus error is another symptom: a memory-mapped data file can cause it too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from . import Finding, Symptom
from ._errors import matching

SHARED = re.compile(
    r"unable to write to file </torch|unable to (?:allocate|open|mmap|resize|unlink|write to) shared memory"
    r"|could not unlink the shared memory file|shared memory object </"
    r"|unable to open shared memory|shm_open.{0,80}(?:fail|error|No (?:space|such))|/dev/shm.{0,160}No space left"
    r"|No space left.{0,160}/dev/shm"
    r"|[Ee]rror while (?:creating|attaching).{0,40}shared memory segment|Call to ftruncate failed"
    r"|Call to posix_fallocate failed"
    r"|rebuild_storage_filename|torch_shm_manager|insufficient shared memory \(shm\) available",
)


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
