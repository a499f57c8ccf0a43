"""Somebody was refused memory of the host: ENOMEM, MemoryError, bad_alloc, torch's DefaultCPUAllocator, a thread or
process that could not be made for lack of memory; or the GPU driver, on a machine that has hardly any memory left.
GPU memory is another symptom.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.kernel import GpuDriverMessage
from ..evidence.storage import MemoryInfo
from ..incident import Incident
from . import Finding, Symptom
from ._errors import matching
from .machine_memory_low import is_low

REFUSED = re.compile(
    r"Cannot allocate memory|\[Errno 12\]|ENOMEM|MemoryError|std::bad_alloc|DefaultCPUAllocator: (?:can't|not enough)"
    r"|Unable to allocate .{1,60} for an array|virtual memory exhausted|paging file is too small|(?:WinError|GetLastError\(\) =|os error) 1455\b|\bnot enough memory: you tried to allocate",
)
DRIVER = re.compile(r"NV_ERR_NO_MEMORY|[Oo]ut of memory|[Pp]age allocation fail")
GPU = re.compile(r"CUDA|NCCL|cuda|HIP out|ibv_|\bRMM failure", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each refusal."""
    for said in matching(incident, REFUSED, "ENOMEM"):
        if not GPU.search(said.text):
            yield Finding(said.fact.subject, (said.fact,), said.text.splitlines()[0][:160])
    low = [info for info in incident.of(MemoryInfo) if is_low(info)]
    for message in incident.of(GpuDriverMessage) if low else ():
        if DRIVER.search(message.text):
            yield Finding(
                message.subject, (message, low[0]), f"the GPU driver was refused memory: {message.text[:120]}"
            )


SYMPTOM = Symptom(
    title="host memory was refused",
    rule=rule,
    leak=0.0015,
    because="with overcommit the kernel refuses rarely; an absurd size in the job's own code does it too",
    command="free -h; ulimit -v; cat /proc/sys/vm/overcommit_memory",
)
