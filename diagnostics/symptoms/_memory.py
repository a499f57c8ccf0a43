"""Memory of the host: the words for what it refuses, whose memory it was, and when little of it is left."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.storage import MemoryInfo
from ..incident import Incident
from ._errors import Said, matching

# could not allocate pinned host memory of size: 4294967296      failed to alloc 2147483648 bytes on host:
# CUDA_ERROR_OUT_OF_MEMORY      error (2) : out of memory at /x/THCCachingHostAllocator.cpp:278
PINNED_REFUSED = (
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
    rf"|{PINNED_REFUSED}"
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
# Failed to create a completion queue (CQ): ... Error: Cannot allocate memory, some lines below: what may be locked
OF_VERBS = re.compile(r"Failed to create a completion queue \(CQ\)|Failed to create a queue pair \(QP\)|\bibv_\w{3,40}")
BELOW = 8  # lines
GPU = re.compile(r"CUDA|NCCL|cuda|HIP out|ibv_|\bRMM failure", re.I)
# the kubelet's report of a kill outside any container's limit, and platforms that give a machine for each job
OF_THE_MACHINE = re.compile(
    r"System ?OOM encountered|^SystemOOM\b|Reason: SystemOOM\b|all available RAM|instance type with more memory"
)
# systemd's word on a unit of which its daemon ended all processes: it watches the machine's swap and pressure
OOMD = re.compile(r"systemd-oomd killed \d")
LOW, LOW_WHEN_SMALL, SMALL_KIB = 0.03, 0.05, 2 << 20
PLENTY = 0.2


def refusals(incident: Incident) -> Iterator[Said]:
    """Each time that memory of the host was refused."""
    verbs = [said.fact.source for said in matching(incident, OF_VERBS)]
    for said in matching(incident, REFUSED, "ENOMEM"):
        line, file = said.fact.source.line, said.fact.source.file
        of_verbs = any(each.file == file and 0 <= line - each.line <= BELOW for each in verbs)
        of_gpu = GPU.search(said.text) and not OF_THE_HOST.search(said.text)
        if not (of_verbs or of_gpu):
            yield said


def is_low(info: MemoryInfo) -> bool:
    """True where hardly anything is available."""
    if info.used_percent is not None:
        return info.used_percent > 100 * (1 - LOW)
    total, available = info.values_kib.get("MemTotal"), info.values_kib.get("MemAvailable")
    if not total or available is None:
        return False
    share = available / total
    return share < LOW or (share < LOW_WHEN_SMALL and available < SMALL_KIB)


def is_plenty(info: MemoryInfo) -> bool:
    """True where a fifth or more is available."""
    total, available = info.values_kib.get("MemTotal"), info.values_kib.get("MemAvailable")
    return bool(total) and available is not None and available / (total or 1) > PLENTY
