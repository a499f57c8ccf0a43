"""Caches of compiled code: where they lie, and how a damaged one is told from a damaged file of the job."""

from __future__ import annotations

import re

from ..evidence.job import LogLine, PythonException
from ..evidence.process import PythonStack
from ..incident import Incident
from ._errors import Said

CACHE = re.compile(
    r"\.triton/|triton[_/]cache|TRITON_CACHE|torchinductor|/inductor/|torch_extensions|__triton_launcher|\.cubin"
    r"|\.nv/ComputeCache|numba.{0,20}cach|_inductor/\S{0,40}cache|corrupted compilation artifact"
    r"|kernel[_ ]cache|jit[_ ]cache|compil\w{1,10}[_ ]cache|fxgraph|neuron-compile-cache|cuda_utils\.so|\.locks?/"
    r"|FileLock(?!\.)|flashinfer|deep_gemm|\w\.(?:ttgir|ttir|llir|hsaco)\b|/\.\w{2,20}/cache/|jit_build/|\bMIOpen\b"
    r"|\.(?:aesara|theano|pytensor)/|\.julia/compiled/|compiledir|keops",
    re.I,
)
# load_cached_autotuning (torch/_inductor/triton_heuristics.py:740)     get_group (triton/runtime/cache.py:88)
READS_CACHE = re.compile(
    r"\(\S{0,300}(?:_inductor/(?:codecache|triton_heuristics|runtime/autotune_cache)|triton/runtime/cache"
    "|numba/core/caching"
    r"|jax/_src/(?:compilation_cache|lru_cache)|(?:theano|aesara|pytensor)/(?:gof|link/c)/cmodule)\w{0,20}\.py:\d"
)
# compile (triton/compiler/compiler.py:1587), where it reads what it has stored
COMPILES = re.compile(r"\(\S{0,300}\btriton/compiler(?:/compiler)?\.py:\d")
# [rank7]:W109 torch/_inductor/codecache.py:1042] fx graph cache unable to      File "numba/core/caching.py", line 9
TOLD_BESIDE = re.compile(
    r"\b(?:_inductor/codecache|triton/runtime/cache|numba/core/caching|gof/cmodule|link/c/cmodule)\.py\b"
)
BESIDE = 2  # lines
COMPILER = re.compile(r"backend='?\w{1,40}'? raised|BackendCompilerFailed|InductorError")
# /usr/bin/ld: final link failed: Stale file handle     x.o: file not recognized: file truncated
BUILDS = re.compile(
    r"\b(?:ld(?:\.\w{2,5})?|collect2|cc1plus|nvcc|ninja|ptxas|fatbinary|cicc|as|mojo|clang(?:\+\+)?|rustc"
    r"|neuronx-cc)(?::|\b.{0,40} error:)"
)
TORN = re.compile(
    "Stale (?:NFS )?file handle|[Ff]ile truncated|[Ff]ile format not recognized|file not recognized|Text file busy"
    "|failed to (?:produce|write|create|rename|open|move) .{0,120}: No such file or directory|unable to rename "
    "temporary .{0,400}No such file or directory"
)
# another rank has removed the folder in which this one was to build
LOST_BUILD = re.compile(
    r"Error building extension '.{1,80}': ninja: error: loading 'build\.ninja': No such file"
    "|ninja: error: opening build log: No such file"
)
UNDECODABLE = re.compile(
    r"JSONDecodeError|EOFError|UnpicklingError|pickle data was truncated|Ran out of input|bad marshal data"
)
BATON = re.compile(r"file_baton\.py$|baton")
LOCK_LIBRARY = re.compile(r"(?:^|/)(?:filelock|portalocker|fasteners|lockfile|flufl)(?:/|\.py)")
KEEPS_CODE = re.compile(
    r"torch/utils/cpp_extension|torch/_inductor|torch/_dynamo|triton/|op_builder|numba/|jax/|flashinfer|deep_gemm"
    r"|torch_extensions|neuronx?|cupy/|tilelang|codecache"
)


def build_met_another(said: Said) -> bool:
    """True where a compiler or linker lost the files under its hands."""
    text = f"{said.fact.source.quote}\n{said.text}"  # the logger's own text lacks the program's name
    return (BUILDS.search(text) and TORN.search(text)) is not None or LOST_BUILD.search(text) is not None


def cannot_decode(text: str, frames: str) -> bool:
    """True where a compiler, or the code of its cache, could not decode what it had stored."""
    reads_it = READS_CACHE.search(frames) or COMPILES.search(frames) or COMPILER.search(text)
    return reads_it is not None and UNDECODABLE.search(text) is not None


def cannot_decode_beside(incident: Incident, said: Said) -> bool:
    """True for an error of decoding without frames, where the line beside it in the log is of the code of a cache."""
    has_frames = isinstance(said.fact, PythonException) and bool(said.fact.frames)
    if not UNDECODABLE.search(said.text) or has_frames:
        return False
    at = said.fact.source
    lines = [line.source for line in incident.of(LogLine) if line.source.file == at.file]
    near = [each for each in lines if 0 < abs(each.line - at.line) <= BESIDE]
    return any(TOLD_BESIDE.search(each.quote) for each in near)


def waits_for_builder(stack: PythonStack) -> bool:
    """True where a thread waits for the lock file of a folder of compiled code."""
    files = [frame.file or "" for frame in stack.frames]
    if any(BATON.search(file) for file in files[:3]):
        return True
    return any(LOCK_LIBRARY.search(file) for file in files[:4]) and any(KEEPS_CODE.search(file) for file in files)
