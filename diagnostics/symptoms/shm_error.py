"""An error names a segment of shared memory that could not be opened, mapped or unlinked: it is gone, or was never
made.

A System V semaphore that was removed under its users counts: it goes the same way as a segment.
That there was no room is another symptom, and so is a bare Bus error: a memory-mapped data file can cause it too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..incident import Incident
from ._errors import matching
from ._symptom import Finding, Symptom

SHARED = re.compile(
    r"unable to (?:open|mmap|unlink) shared memory|could not unlink the shared memory file|shared memory object </"
    "|[Cc]ould not (?:open|attach|map|create) (?:the )?shared memory|shm_open.{0,80}(?:fail|error|No such)"
    "|[Ee]rror while (?:creating|attaching).{0,40}shared memory segment"
    r"|\b(?:shm(?:at|get|ctl)|sem(?:op|timedop|ctl|get))\b.{0,80}(?:Identifier removed|EIDRM)"
    r"|rebuild_storage_filename|torch_shm_manager",
)
GONE = re.compile(r"No such file or directory|ENOENT|\[Errno 2\]|Identifier removed|EIDRM", re.I)


def missed_segments(incident: Incident) -> list[Evidence]:
    """The errors that say of a segment that it is not there any more."""
    return [said.fact for said in matching(incident, SHARED) if GONE.search(said.text)]


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
