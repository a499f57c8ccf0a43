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
from ._gpus import MEMORY_FULL
from ._memory import OF_THE_HOST, PINNED_REFUSED
from ._reports import ended_log, findings, gpu_subject, nothing, said, words_of
from ._symptom import Finding, Symptom

# gRPC and TensorFlow say RESOURCE_EXHAUSTED of a disk too, and the host's memory has its own runtimes, allocators and
# calls
ELSEWHERE = re.compile(
    rf"{OF_THE_HOST.pattern}|No space left|ENOSPC|java\.lang\.|\bcudaHost(?:Alloc|Register)|cudaMallocHost"
    "|hipHostMalloc",
    re.I,
)
PINNED_HOST = re.compile(PINNED_REFUSED)
PINNED = re.compile(r"pin_memory|cudaHostAlloc", re.I)
# CUDA out of memory detected. Train microbatch size will be decreased from 16 -> 8.
ANSWERED = re.compile(
    r"(?:batch size|microbatch size)\b.{0,40}(?:decreas|reduc|halv|lower)|trying again with|retrying with"
    "|caller indicates that this is not a failure",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    facts = [(fact, words_of(fact)) for fact in said(incident, MEMORY_FULL)]
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
    said_so = all(MEMORY_FULL.search(trial.text) and not ELSEWHERE.search(trial.text) for trial in bad)
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
