"""An error about a file of a compile or kernel cache: gone, stale, half-written, or its lock held.

Triton, inductor, torch extensions, numba, JAX and Neuron keep compiled code in a folder; ranks or hosts that share it
meet there. The error names the folder or a file of it (also one that a setting names), or comes from the cache's own code; or
that could not decode what it had stored, or the compiler says that decoding failed: it decodes nothing else. So does a compiler
or linker whose files changed under its hands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.job import SettingSeen
from ..incident import Incident
from . import Finding, Symptom
from ._errors import errors

CACHE = re.compile(
    r"\.triton/|triton[_/]cache|TRITON_CACHE|torchinductor|/inductor/|torch_extensions|__triton_launcher|\.cubin"
    r"|\.nv/ComputeCache|numba.{0,20}cach|_inductor/\S{0,40}cache|corrupted compilation artifact"
    r"|kernel[_ ]cache|jit[_ ]cache|compil\w{1,10}[_ ]cache|fxgraph|neuron-compile-cache|cuda_utils\.so|\.locks?/"
    r"|FileLock|flashinfer|deep_gemm|\w\.(?:ttgir|ttir|llir|hsaco)\b|/\.\w{2,20}/cache/|jit_build/",
    re.I,
)
# load_cached_autotuning (torch/_inductor/triton_heuristics.py:740)     get_group (triton/runtime/cache.py:88)
READS_CACHE = re.compile(
    r"\(\S{0,300}(?:_inductor/(?:codecache|triton_heuristics|runtime/autotune_cache)|triton/runtime/cache|numba/core/caching"
    r"|jax/_src/compilation_cache)\w{0,20}\.py:\d"
)
# TRITON_CACHE_DIR=/mnt/team/triton
SETTING = re.compile(
    r"(?:TRITON|INDUCTOR|EXTENSIONS|CUDA|TVM|JIT|COMPIL|NUMBA|XLA|NEURON|KERNEL|CUPY|GEMM|FLASHINFER)\w{0,20}DIR$"
)
COMPILER = re.compile(r"backend='?\w{1,40}'? raised|BackendCompilerFailed|InductorError")
# /usr/bin/ld: final link failed: Stale file handle     x.o: file not recognized: file truncated
BUILDS = re.compile(r"\b(?:ld(?:\.\w{2,5})?|collect2|cc1plus|nvcc|ninja|ptxas|fatbinary|cicc|as)(?::|\b.{0,40} error:)")
TORN = re.compile(
    r"Stale (?:NFS )?file handle|[Ff]ile truncated|[Ff]ile format not recognized|file not recognized|Text file busy"
)
# another rank has removed the folder in which this one was to build
LOST_BUILD = re.compile(r"Error building extension '.{1,80}': ninja: error: loading 'build\.ninja': No such file")
UNDECODABLE = re.compile(
    r"JSONDecodeError|EOFError|UnpicklingError|pickle data was truncated|Ran out of input|bad marshal data"
)
TROUBLE = re.compile(
    r"No such file or directory|FileNotFoundError|Stale|cannot (?:open|stat) shared object|undefined symbol"
    r"|file too short|invalid ELF header"
    r"|Errno (?:2|16|17|26|39|116)\b|File exists|Directory not empty|Text file busy|Device or resource busy"
    r"|Resource temporarily unavailable"
    r"|\block\b|JSONDecodeError|EOFError|PermissionError|truncated|corrupt|object has vanished",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each error that names both a cache and what is wrong with its file."""
    folders = tuple(s.value for s in incident.of(SettingSeen) if SETTING.search(s.name) and s.value.startswith("/"))
    for said in errors(incident):
        frames = " ".join(getattr(said.fact, "frames", ())[:6])
        named = CACHE.search(f"{said.text}\n{frames}") or READS_CACHE.search(frames)
        of_cache = named is not None or (said.path or "").startswith(folders or ("\0",))
        in_trouble = TROUBLE.search(said.text) is not None if of_cache else build_met_another(said.text)
        if in_trouble or cannot_decode(said.text, frames):
            yield Finding(said.fact.subject, (said.fact,), said.text.splitlines()[0][:160])


def build_met_another(text: str) -> bool:
    """True where a compiler or linker lost the files under its hands."""
    return (BUILDS.search(text) and TORN.search(text)) is not None or LOST_BUILD.search(text) is not None


def cannot_decode(text: str, frames: str) -> bool:
    """True where a compiler, or the code of its cache, could not decode what it had stored."""
    reads_it = READS_CACHE.search(frames) or COMPILER.search(text)
    return reads_it is not None and UNDECODABLE.search(text) is not None


SYMPTOM = Symptom(
    title="a compile cache's file failed",
    rule=rule,
    leak=0.0005,
    because="a cache used by one process at a time on a local disk does not lose its files",
    command="ls -la $TRITON_CACHE_DIR $TORCHINDUCTOR_CACHE_DIR ~/.triton/cache; df -T ~",
)
