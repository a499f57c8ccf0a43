"""Somebody was refused a piece of the host's memory that no machine lacks unless all of it is in use: less than 1 GiB.

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
from . import Finding, Symptom
from .cannot_allocate_memory import refusals
from .machine_memory_low import is_plenty

LITTLE_KIB = 1 << 20
# you tried to allocate 51380224 bytes.     Unable to allocate 36.0 MiB for an array     realloc of size 65536 failed
SIZE = re.compile(
    r"(?:[Aa]llocat(?:e|ing|ion of)|Fail to alloc memory of|\b[mc]?(?:re)?alloc of size) "
    r"(?P<number>\d{1,20}(?:\.\d{0,6})?) ?(?P<unit>[KMGT]i?B)?(?=\b|\s)"
)
ADDRESSES = ("Max address space", "virtual memory", "address space")


def rule(incident: Incident) -> Iterator[Finding]:
    limited = any(limit.resource in ADDRESSES and limit.soft is not None for limit in incident.of(ResourceLimit))
    if limited or any(map(is_plenty, incident.of(MemoryInfo)[-1:])):
        return
    for said in refusals(incident):
        found = SIZE.search(said.text)
        wanted = size_kib(found["number"], found["unit"]) if found else None
        if wanted is not None and wanted < LITTLE_KIB:
            yield Finding(said.fact.subject, (said.fact,), f"{wanted / 1024:,.1f} MiB were refused")


SYMPTOM = Symptom(
    title="a small piece of host memory was refused",
    rule=rule,
    leak=0.01,
    because="a limit on the address space or on the number of mappings refuses small pieces too, and few know of "
    "theirs",
    command="free -h; ulimit -v; cat /proc/sys/vm/overcommit_memory /proc/sys/vm/max_map_count",
)
