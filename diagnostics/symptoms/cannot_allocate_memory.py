"""Somebody was refused memory of the host: ENOMEM, MemoryError, bad_alloc, torch's DefaultCPUAllocator, the
allocators of other libraries for the CPU, memory of the host that a GPU's runtime wants to pin, a thread or process
that could not be made for lack of memory; or the GPU driver, on a machine that has hardly any memory left. GPU memory
is another symptom, whose exceptions have a name of their own (OutOfMemoryError); so has a heap that its runtime
limits itself. Ray's exception of that name counts: it ends a task before the node's memory is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.kernel import GpuDriverMessage
from ..evidence.storage import MemoryInfo
from ..incident import Incident
from ._memory import is_low, refusals
from ._symptom import Finding, Symptom

DRIVER = re.compile(r"NV_ERR_NO_MEMORY|[Oo]ut of memory|[Pp]age allocation fail")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each refusal."""
    for said in refusals(incident):
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
