"""The main thread waits for a lock file of compiled code that another process is to build, and nothing builds it.

FileBaton of torch's extension builds, the file locks of inductor and Triton caches, numba's and JAX's: whoever finds
the file waits until it is gone. A listing with that lock in a cache folder is the second sign. ABSENT where the
builder is at work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.process import PythonStack
from ..evidence.storage import FileEntry
from ..incident import Incident
from . import Finding, Symptom
from ._waits import compiles, main_stacks
from .cache_race_error import CACHE
from .compiling import compilers, waits_for_child

BATON = re.compile(r"file_baton\.py$|baton")
LOCK_LIBRARY = re.compile(r"(?:^|/)(?:filelock|portalocker|fasteners|lockfile|flufl)(?:/|\.py)")
KEEPS_CODE = re.compile(
    r"torch/utils/cpp_extension|torch/_inductor|torch/_dynamo|triton/|op_builder|numba/|jax/|flashinfer|deep_gemm"
    r"|torch_extensions|neuronx?|cupy/|tilelang|codecache"
)
LOCK_FILE = re.compile(r"(?:^|/)(?:[\w.-]{0,200}\.)?lock$")


def waits_for_builder(stack: PythonStack) -> bool:
    """True where a thread waits for the lock file of a folder of compiled code."""
    files = [frame.file or "" for frame in stack.frames]
    if any(BATON.search(file) for file in files[:3]):
        return True
    return any(LOCK_LIBRARY.search(file) for file in files[:4]) and any(KEEPS_CODE.search(file) for file in files)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each thread that waits for such a lock, with the lock file where it was listed."""
    at_work = [
        *compilers(incident),
        *(stack for stack in main_stacks(incident) if compiles(stack) and waits_for_child(stack)),
    ]
    locks = [entry for entry in incident.of(FileEntry) if _is_cache_lock(entry)]
    for stack in incident.of(PythonStack):
        if not waits_for_builder(stack):
            continue
        if at_work:
            yield Finding(Subject(), (stack, *at_work[:2]), "whoever holds the lock is compiling", present=False)
        else:
            note = f"{stack.thread} waits in {stack.frames[0].function} for a build of another process"
            yield Finding(Subject(pid=stack.subject.pid), (stack, *locks[:2]), note)


def _is_cache_lock(entry: FileEntry) -> bool:
    path = entry.subject.path or ""
    return bool(LOCK_FILE.search(path) and CACHE.search(path))


SYMPTOM = Symptom(
    title="a process waits for the lock file of a compile cache and nobody builds",
    rule=rule,
    leak=0.0003,
    because="such a lock is held while its owner compiles; without an owner nobody will remove it",
    command="py-spy dump --nonblocking --pid PID; ls -la ~/.cache/torch_extensions/*/*; ps -ef | grep -E 'nvcc|ninja|cc1plus'",
    cost_minutes=2,
)
