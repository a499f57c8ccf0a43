"""Programs queue for a lock of the GPU driver: two or more processes wait in D for it, one of them for minutes.

The lock stands in the process table's WCHAN or in the kernel's stack of the process (os_acquire_mutex, os_acquire_rwlock_write,
uvm_va_space_...). A GPU's processor that does not answer is given up after a minute, and then the queue goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Subject
from ..evidence.process import ProcessState, ThreadState
from ..incident import Incident
from . import Finding, Symptom

LOCK = re.compile(r"^(?:os_acq\w{0,24}|uvm_va_space_\w{1,24}|nv_\w{1,30}|nvidia\w{0,20}|rm_\w{1,30})")
FEWEST, LONG_S = 2, 300.0


def rule(incident: Incident) -> Iterator[Finding]:
    waiting: dict[int | None, Evidence] = {}
    longest = 0.0
    for thread in incident.of(ThreadState):
        if thread.state in ("D", None) and any(LOCK.search(frame) for frame in thread.frames[:2]):
            waiting[thread.subject.pid] = thread
    for row in incident.of(ProcessState):
        if row.state == "D" and (LOCK.search(row.wchan or "") or row.subject.pid in waiting):
            waiting[row.subject.pid] = row
            longest = max(longest, row.elapsed_s or 0.0)
    if len(waiting) >= FEWEST and longest >= LONG_S:
        note = f"{len(waiting)} processes wait for the driver, one for up to {longest / 60:.0f} minutes"
        yield Finding(Subject(), tuple(waiting.values())[:8], note)


SYMPTOM = Symptom(
    title="programs queue for a lock of the GPU driver",
    rule=rule,
    leak=0.0003,
    because="the driver holds its locks for milliseconds",
    tells_apart=("host",),
    command="ps -eo pid,stat,wchan:32,etime,comm | awk '$2 ~ /D/'",
)
