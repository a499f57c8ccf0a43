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
from ._errors import Said, matching
from ._symptom import Finding, Symptom
from .machine_memory_low import is_low

# could not allocate pinned host memory of size: 4294967296      failed to alloc 2147483648 bytes on host:
# CUDA_ERROR_OUT_OF_MEMORY      error (2) : out of memory at /x/THCCachingHostAllocator.cpp:278
PINNED = (
    r"\bcould not allocate pinned host memory|\bfailed to alloc(?:ate)? (?:\d{1,20} bytes on host|host memory)\b"
    r"|out of memory at \S{0,200}CachingHostAllocator\w{0,10}\.(?:cpp|h|cu)\b"
    r"|CachingHostAllocator\w{0,10}\.(?:cpp|h|cu)\b.{0,80}: out of memory"
)
# an allocator that says it is the CPU's
OF_THE_HOST = re.compile(
    # OpenCV names the function in which it raises: (-4:Insufficient memory) Failed to allocate 9 bytes in function
    # 'OutOfMemoryError'
    r"Failed to allocate \d{1,20} bytes\)? in (?:function )?'?OutOfMemoryError"
    # OOM when allocating tensor with shape[9] and type float on /job:localhost/replica:0/task:0/device:CPU:0 by
    # allocator cpu
    # OOM when allocating tensor on cpu:0
    r"|OOM when allocating tensor .{0,300}\b(?:device:CPU|on cpu):\d"
    rf"|{PINNED}"
    # memory allocation of 17179869184 bytes failed (Rust)
    r"|\bmemory allocation of \d{1,20} bytes failed|Fail to alloc memory of \d{1,20} size"
    "|Failed to allocate CPU [Mm]emory"
    r"|Failed to allocate memory for image\b|\bmemory allocation failed for raw data chunk"  # ITK, HDF5
    r"|(?:\bcc1\w{0,8}|\blibgomp): [Oo]ut of memory allocating \d"
)
REFUSED = re.compile(
    rf"{OF_THE_HOST.pattern}|Cannot allocate memory|\[Errno 12\]|ENOMEM|(?<!OutOf)MemoryError"
    r"|\bray\.exceptions\.OutOfMemoryError|std::bad_alloc|DefaultCPUAllocator: (?:can't|not enough)"
    "|Unable to allocate .{1,60} for an array|virtual memory exhausted|paging file is too small"
    r"|(?:WinError|GetLastError\(\) =|os error) 1455\b|\bnot enough memory: you tried to allocate",
)
DRIVER = re.compile(r"NV_ERR_NO_MEMORY|[Oo]ut of memory|[Pp]age allocation fail")
# Failed to create a completion queue (CQ): ... Error: Cannot allocate memory, some lines below: what may be locked
OF_VERBS = re.compile(r"Failed to create a completion queue \(CQ\)|Failed to create a queue pair \(QP\)|\bibv_\w{3,40}")
BELOW = 8  # lines
GPU = re.compile(r"CUDA|NCCL|cuda|HIP out|ibv_|\bRMM failure", re.I)


def refusals(incident: Incident) -> Iterator[Said]:
    """Each time that memory of the host was refused."""
    verbs = [said.fact.source for said in matching(incident, OF_VERBS)]
    for said in matching(incident, REFUSED, "ENOMEM"):
        line, file = said.fact.source.line, said.fact.source.file
        of_verbs = any(each.file == file and 0 <= line - each.line <= BELOW for each in verbs)
        of_gpu = GPU.search(said.text) and not OF_THE_HOST.search(said.text)
        if not (of_verbs or of_gpu):
            yield said


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
