"""CUDA, or a library on it, could not get memory on a device.

"CUDA out of memory", cuBLAS, nvJPEG, MIOpen or NCCL failing to allocate, an engine without room for its cache. It may
be the job's own making, or somebody else's memory. Also the outcome of a table's trials, where they failed of nothing
else. ABSENT where the job's log runs to its end and does not say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.job import PythonException
from ..evidence.people import Trial
from ..evidence.training import TrainingSteps
from ..incident import Incident
from ._reports import ended_log, findings, gpu_subject, nothing, said, words_of
from ._symptom import Finding, Symptom
from .cannot_allocate_memory import OF_THE_HOST
from .cannot_allocate_memory import PINNED as PINNED_OF_THE_HOST

WORDS = re.compile(
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
# gRPC and TensorFlow say RESOURCE_EXHAUSTED of a disk too, and the host's memory has its own runtimes, allocators and
# calls
ELSEWHERE = re.compile(
    rf"{OF_THE_HOST.pattern}|No space left|ENOSPC|java\.lang\.|\bcudaHost(?:Alloc|Register)|cudaMallocHost"
    "|hipHostMalloc",
    re.I,
)
PINNED_HOST = re.compile(PINNED_OF_THE_HOST)
PINNED = re.compile(r"pin_memory|cudaHostAlloc", re.I)
# CUDA out of memory detected. Train microbatch size will be decreased from 16 -> 8.
ANSWERED = re.compile(
    r"(?:batch size|microbatch size)\b.{0,40}(?:decreas|reduc|halv|lower)|trying again with|retrying with"
    "|caller indicates that this is not a failure",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    facts = [(fact, words_of(fact)) for fact in said(incident, WORDS)]
    facts = [
        (fact, words)
        for fact, words in facts
        if not (_is_elsewhere(fact, words) or ANSWERED.search(words) or _pins(fact) or _survived(incident, fact))
    ]
    facts += _tried(incident)
    yield from findings(incident, facts, lambda fact: gpu_subject(incident, fact.subject))
    if not facts:
        yield from nothing(ended_log(incident), "the job's log runs to its end and speaks of no lack of GPU memory")


def _tried(incident: Incident) -> list[tuple[Evidence, str]]:
    """The trials that ended for want of memory, where none of the bad ones ended otherwise: then it is what is sought,
    and no size that somebody tried on the way to something else."""
    bad = [trial for trial in incident.of(Trial) if trial.outcome not in ("ok", "slow")]
    words = [f"{trial.condition}: {trial.text}" for trial in bad]
    said_so = all(WORDS.search(trial.text) and not ELSEWHERE.search(trial.text) for trial in bad)
    return list(zip(bad, words, strict=True)) if said_so else []


def _is_elsewhere(fact: Evidence, words: str) -> bool:
    """True where the words, or the line that they stand on, speak of other memory than a device's."""
    return bool(ELSEWHERE.search(words) or PINNED_HOST.search(fact.source.quote))


def _pins(fact: Evidence) -> bool:
    """True where the innermost calls of a traceback ask for memory of the host."""
    return isinstance(fact, PythonException) and any(PINNED.search(frame) for frame in fact.frames[:2])


def _survived(incident: Incident, fact: Evidence) -> bool:
    """True when the same run goes on making steps after it: somebody caught it."""
    return any(
        steps.source.file == fact.source.file and steps.source.line < fact.source.line < max(steps.columns["line"])
        for steps in incident.of(TrainingSteps)
        if len(steps.columns.get("line", ()))
    )


SYMPTOM = Symptom(
    title="a device had no memory left to give",
    rule=rule,
    leak=0.002,
    because="the allocator says so only after it has given back all that it cached",
    command="grep -n 'out of memory' train.log; nvidia-smi",
)
