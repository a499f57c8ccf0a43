"""An error about a file of a compile or kernel cache: gone, stale, half-written, or its lock held.

Triton, inductor, torch extensions, numba, JAX and Neuron keep compiled code in a folder; ranks or hosts that share it
meet there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from . import Finding, Symptom
from ._errors import errors

CACHE = re.compile(
    r"\.triton/|triton[_/]cache|TRITON_CACHE|torchinductor|/inductor/|torch_extensions|__triton_launcher|\.cubin"
    r"|\.nv/ComputeCache|numba.{0,20}cach|_inductor/\S{0,40}cache|corrupted compilation artifact"
    r"|kernel[_ ]cache|jit[_ ]cache|compil\w{1,10}[_ ]cache|fxgraph|neuron-compile-cache|cuda_utils\.so|\.locks?/"
    r"|FileLock|flashinfer|deep_gemm",
    re.I,
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
    for said in errors(incident):
        everything = f"{said.text}\n{' '.join(getattr(said.fact, 'frames', ())[:6])}"
        if CACHE.search(everything) and TROUBLE.search(said.text):
            yield Finding(said.fact.subject, (said.fact,), said.text.splitlines()[0][:160])


SYMPTOM = Symptom(
    title="a compile cache's file failed",
    rule=rule,
    leak=0.0005,
    because="a cache used by one process at a time on a local disk does not lose its files",
    command="ls -la $TRITON_CACHE_DIR $TORCHINDUCTOR_CACHE_DIR ~/.triton/cache; df -T ~",
)
