"""An error about a file of a compile or kernel cache: gone, stale, half-written, or its lock held.

Triton, inductor, torch extensions, numba, JAX and Neuron keep compiled code in a folder; ranks or hosts that share it
meet there. The error names the folder or a file of it (also one that a setting names), or comes from the cache's own
code; or that could not decode what it had stored, or the compiler says that decoding failed: it decodes nothing else.
So does a compiler or linker whose files changed under its hands. And so does a just-in-time compiler that asserts, on
one rank alone, that what it has compiled is there, in a job whose files lie on a network volume.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.job import PythonException, SettingSeen
from ..evidence.kernel import ClockReading
from ..evidence.storage import FileEntry, Mount
from ..incident import Incident
from ._builds import LACKS
from ._caches import CACHE, READS_CACHE, build_met_another, cannot_decode, cannot_decode_beside
from ._compilers import compilers
from ._errors import errors
from ._reports import words_of
from ._symptom import Finding, Symptom

# TRITON_CACHE_DIR=/mnt/team/triton
SETTING = re.compile(
    r"(?:TRITON|INDUCTOR|EXTENSIONS|CUDA|TVM|JIT|COMPIL|NUMBA|XLA|NEURON|KERNEL|CUPY|GEMM|FLASHINFER)\w{0,20}DIR$"
)
# Assertion error csrc/jit/compiler.hpp:158 'runtime != nullptr'      assert kernel is not None (jit/cache.py:88)
ASSERTS = re.compile(
    r"^(?=.{0,400}\b[Aa]ssert)(?=.{0,400}\bjit/\w{1,30}\.(?:hpp|cuh|h|cpp|cc|py)\b)"
    r"(?=.{0,400}\b(?:runtime|kernel|module|library|handle|func\w{0,8}|cubin|path)\w{0,12} ?"
    "(?:!= ?(?:nullptr|NULL|None)|is not None|exists))",
    re.I | re.M,
)
# Lock file exists in build directory: '/home/u/.cache/torch_extensions/x/lock'
IS_LOCKED = re.compile(r"(?i)^lock file exists in\b")
TROUBLE = re.compile(
    r"No such file or directory|FileNotFoundError|Stale|cannot (?:open|stat) shared object|undefined symbol"
    r"|file too short|invalid ELF header"
    r"|Errno (?:2|16|17|26|39|116)\b|File exists|Directory not empty|Text file busy|Device or resource busy"
    r"|Resource temporarily unavailable"
    r"|locking protocol|database is locked|\block\b|JSONDecodeError|EOFError|PermissionError|truncated|corrupt"
    "|object has vanished|could not be acquired",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each error that names both a cache and what is wrong with its file."""
    folders = tuple(s.value for s in incident.of(SettingSeen) if SETTING.search(s.name) and s.value.startswith("/"))
    for said in errors(incident):
        if (IS_LOCKED.search(said.text) and _is_held(incident)) or LACKS.search(said.fact.source.quote):
            continue
        frames = " ".join(getattr(said.fact, "frames", ())[:6])
        named = CACHE.search(f"{said.text}\n{frames}") or READS_CACHE.search(frames)
        of_cache = named is not None or (said.path or "").startswith(folders or ("\0",))
        in_trouble = TROUBLE.search(said.text) is not None if of_cache else build_met_another(said)
        in_trouble = in_trouble or (ASSERTS.search(said.text) is not None and _one_rank_of_a_shared_home(incident))
        if in_trouble or cannot_decode(said.text, frames) or cannot_decode_beside(incident, said):
            yield Finding(said.fact.subject, (said.fact,), said.text.splitlines()[0][:160])


def _one_rank_of_a_shared_home(incident: Incident) -> bool:
    """True where one rank alone asserts, and a network volume is mounted on which homes or caches may lie."""
    ranks = {fact.subject.rank for fact in incident.of(PythonException) if ASSERTS.search(words_of(fact))}
    return len(ranks) == 1 and any(mount.network for mount in incident.of(Mount))


def _is_held(incident: Incident) -> bool:
    """True where somebody looked for who holds the lock of a build: its age by the clock, or a compiler at work."""
    listed = any((entry.subject.path or "").endswith("lock") for entry in incident.of(FileEntry))
    return bool(compilers(incident)) or (listed and bool(incident.of(ClockReading)))


SYMPTOM = Symptom(
    title="a compile cache's file failed",
    rule=rule,
    leak=0.0005,
    because="a cache used by one process at a time on a local disk does not lose its files",
    command="ls -la $TRITON_CACHE_DIR $TORCHINDUCTOR_CACHE_DIR ~/.triton/cache; df -T ~",
)
