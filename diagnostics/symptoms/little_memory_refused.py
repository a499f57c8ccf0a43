"""Somebody was refused a piece of the host's memory that no machine lacks unless all of it is in use: less than 1
GiB, or what a child needs to be forked.

The size stands in the refusal. A large one may be an absurd number of the job's own; and nothing is said where
the last look saw plenty of memory available, or where there is a limit on the address space (ulimit -v).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.process import ResourceLimit
from ..evidence.storage import MemoryInfo
from ..incident import Incident
from ..sizes import size_kib
from ._errors import Said
from ._memory import is_plenty, refusals
from ._symptom import Finding, Symptom

LITTLE_KIB = 1 << 20
# you tried to allocate 51380224 bytes.     Unable to allocate 36.0 MiB for an array     realloc of size 65536 failed
SIZE = re.compile(
    r"(?:[Aa]llocat(?:e|ing|ion of)|Fail to alloc memory of|\b[mc]?(?:re)?alloc of size) "
    r"(?P<number>\d{1,20}(?:\.\d{0,6})?) ?(?P<unit>[KMGT]i?B)?(?=\b|\s)"
)
# fork: Cannot allocate memory      unable to fork, possible reason: Cannot allocate memory
FORK = re.compile(r"\bfork\b.{0,40}Cannot allocate memory", re.I)
# _launch (/usr/lib/python3.6/multiprocessing/popen_fork.py:66)      _execute_child (.../subprocess.py:1295)
FORKS = re.compile(r"^(?:_launch \(\S{0,300}popen_fork|_execute_child \(\S{0,300}subprocess)\.py:\d")
ADDRESSES = ("Max address space", "virtual memory", "address space")


def rule(incident: Incident) -> Iterator[Finding]:
    limited = any(limit.resource in ADDRESSES and limit.soft is not None for limit in incident.of(ResourceLimit))
    if limited or any(map(is_plenty, incident.of(MemoryInfo)[-1:])):
        return
    for said in refusals(incident):
        found = SIZE.search(said.text)
        if _is_fork(said):
            yield Finding(said.fact.subject, (said.fact,), "a process could not be made for lack of memory")
            continue
        wanted = size_kib(found["number"], found["unit"]) if found else None
        if wanted is not None and wanted < LITTLE_KIB:
            yield Finding(said.fact.subject, (said.fact,), f"{wanted / 1024:,.1f} MiB were refused")


def _is_fork(said: Said) -> bool:
    """True where what was refused is a child: it shares its parent's pages until it writes."""
    frames = getattr(said.fact, "frames", ())[:2]
    return FORK.search(said.text) is not None or any(map(FORKS.search, frames))


SYMPTOM = Symptom(
    title="a small piece of host memory was refused",
    rule=rule,
    leak=0.01,
    because="a limit on the address space or on the number of mappings refuses small pieces too, and few know of "
    "theirs",
    command="free -h; ulimit -v; cat /proc/sys/vm/overcommit_memory /proc/sys/vm/max_map_count",
)
