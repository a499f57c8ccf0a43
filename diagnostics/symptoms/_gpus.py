"""What tells of a GPU: the words for its loss and for its full memory, who holds it, and how it compares."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from ..evidence.gpu import GpuDiagnostic, GpuStatus
from ..evidence.kernel import GpuDriverMessage, PcieError, Xid
from ..incident import Incident

OFF_THE_BUS = re.compile(r"fallen off the bus|GPU[ _]?is[ _]?lost|\(rev ff\)(?: \(prog-if ff\))?$", re.I)
MEMORY_FULL = re.compile(
    "CUDA out of memory|OOM when allocating tensor|cudaMalloc failed: out of memory|CUDA error: out of memory"
    r"|Cuda failure.{0,20}out of memory|(?<!ray\.exceptions\.)(?<!\bRay)OutOfMemoryError"
    "|CU(?:BLAS|DNN|FFT|SOLVER|SPARSE|RAND)_(?:STATUS_)?ALLOC(?:ATION)?_FAILED|Dst tensor is not initialized"
    r"|CUDA_ERROR_OUT_OF_MEMORY|(?:HIP|NPU|XPU|MPS backend|MLU|MUSA) out of memory|Cuda Runtime \(out of memory"
    "|--mem-fraction-static|BFCArena.{0,80} Failed to allocate memory|Failed to CUDA (?:calloc|malloc)"
    r"|Error Code \d{1,3}: OutOfMemory|memory isn't enough and alloc failed|Out of GPU memory trying to allocate"
    r"|NV\w{2,8}_STATUS_ALLOCATOR_FAILURE|nvJPEG error \(5\)"
    r"|Can't allocate \d{1,15} bytes on device|NV_ENC_ERR_OUT_OF_MEMORY|NPP_MEMORY_ALLOCATION_ERR"
    r"|HIP(?:BLAS|FFT|SOLVER|SPARSE|RAND)_(?:STATUS_)?ALLOC(?:ATION)?_FAILED"
    r"|miopenStatusAllocFailed|rocblas_status_memory_error|hip_?Error_?OutOfMemory"
    r"|RESOURCE_EXHAUSTED|(?:cuMem|cudaMalloc|hipMalloc)\w{0,20} failed to allocate"
    "|Resource exhausted: Out of memory|cudaErrorMemoryAllocation"
    r"|out of memory (?:error )?on (?:GPU|device)|[Cc]uda\w{0,30}\b.{0,200}[ :']out of memory"
    r"|Failed to allocate a memory region of \d{1,20} bytes"  # Kaldi's allocator of the device
    r"|out_of_memory: (?:RMM|CUDA) |RMM failure at.{0,200}(?:out of memory|Maximum pool size exceeded)"
    r"|out of memory in \S{1,300}\.cuh?\b"
    r"|bfc_allocator\.cc:\d{1,6}\] Ran out of memory trying to allocate|Allocator \(GPU_\d{1,3}_bfc\) ran out of memory"
    "|No available memory for the cache blocks|can be stored in (?:the )?KV cache"
    "|larger than the available KV cache memory|free memory on (?:GPU|device) .{0,40}is not enough",
    re.I,
)
FEWER_GPUS = re.compile(
    r"invalid device ordinal|device[_ ]count\W{1,3}\d{1,3} is (?:smaller|less|lower) than"
    r"|requested gpu.{0,80}only (?:has|have)|but your machine only has"
    r"|(?:expected|require[sd]?|requested|need(?:s|ed)?|wants?)\D{0,12}\d{1,3} (?:GPU|device)s?\b.{0,40}\b"
    "(?:only|found|got|but|have|available|detected)"
    r"|only \d{1,3} (?:GPU|CUDA device)s? (?:(?:is|are|were) )?(?:available|found|detected|visible)"
    "|(?:greater|larger|more|higher|exceeds?) (?:than )?(?:the )?(?:number of )?(?:available|visible) "
    "(?:GPU|CUDA|device)s?",
    re.I,
)
AT_START = re.compile(
    r"Free memory on device .{0,40}\(\d+(?:\.\d+)?/\d+(?:\.\d+)? GiB\) on startup is less than desired"
    r"|Initial free memory .{0,80}less than|memory was already (?:in use|allocated) before",
    re.I,
)
AMOUNT = r"(\d{1,6}(?:\.\d+)?) ([MG])iB"
# what PyTorch calls "Process 4123" may be the one that failed: its own part is told by these
HELD_BY_ITSELF = re.compile(
    f"this process has {AMOUNT} memory in use|{AMOUNT} "
    "(?:reserved in total by PyTorch|is allocated by PyTorch|already allocated)"
)
IDLE_MIB = 1024  # the driver's own tables and a display take less
NAMELESS = ("not found", "defunct", "unknown error", "unknown", "n/a", "no such process", "-")
STORM = 1000  # a healthy HBM stack corrects a few errors a month
LINK_MESSAGES = re.compile(r"^(?:nvidia|nouveau|amdgpu) ")
LINK_LOST = ("fatal", "non-fatal", "link-down")
JUST_NOW_S = 600.0
NOT_RUN = re.compile(r"busy or unavailable|cuCtxCreate|Unable to create CUDA context|cudaStreamCreate", re.I)
MEMORY = re.compile(r"memory|memtest|ECC|remap|DBE|SBE", re.I)
LARGER_IS_SLOWER = ("s", "ms", "us", "ns")


def sensors_answer(status: GpuStatus) -> bool:
    """True when something was read off the device itself; what memory is in use the driver knows without asking it."""
    read_off = (status.temperature_c, status.utilisation_percent, status.power_w, status.sm_clock_mhz)
    return any(value is not None for value in read_off)


def is_storm(name: str, count: int) -> bool:
    """True for a counter, by its name in lower case, that tells of a memory which is wearing out."""
    if ("remap" in name or "retired" in name) and ("pending" in name or "fail" in name):
        return count > 0
    return "correctable" in name and "uncorrectable" not in name and "aggregate" not in name and count >= STORM


def link_failures(incident: Incident) -> dict[str, list[PcieError]]:
    """The uncorrected errors of each device that a GPU's driver, or a report of its own, tells to be a GPU."""
    gpus = {fact.subject.pci for fact in incident.of(Xid, GpuDriverMessage)}
    failed: dict[str, list[PcieError]] = {}
    for fact in incident.of(PcieError):
        if fact.level in LINK_LOST and fact.subject.pci:
            failed.setdefault(fact.subject.pci, []).append(fact)
    return {
        address: sorted(facts, key=lambda fact: (fact.source.file, fact.source.line))
        for address, facts in failed.items()
        if address in gpus or any(LINK_MESSAGES.match(fact.text) for fact in facts)
    }


def follows_at_once(incident: Incident, failures: Sequence[PcieError], xid: Xid) -> bool:
    """True for a report below an uncorrected error of the same device in the same log, minutes after it at most."""
    above = bisect_left(
        failures, (xid.source.file, xid.source.line), key=lambda fact: (fact.source.file, fact.source.line)
    )
    last = failures[above - 1] if above else None
    if last is None or last.source.file != xid.source.file:
        return False
    return (incident.timeline.elapsed_s(last, xid) or 0.0) <= JUST_NOW_S


def could_not_run(result: GpuDiagnostic) -> bool:
    """True when a test says that it got no hold of the device, rather than what it found."""
    return NOT_RUN.search(result.text) is not None
