"""Segments of shared memory: how they are named, and the words for one that is gone or does not fit."""

from __future__ import annotations

import re

from ..evidence import Evidence
from ..evidence.job import PythonException
from ..incident import Incident
from ._errors import matching

OPENERS = ("multiprocessing/synchronize.py", "multiprocessing/shared_memory.py", "multiprocess/synchronize.py")
SHARED = re.compile(
    r"unable to (?:open|mmap|unlink) shared memory|could not unlink the shared memory file|shared memory object </"
    "|[Cc]ould not (?:open|attach|map|create) (?:the )?shared memory|shm_open.{0,80}(?:fail|error|No such)"
    "|[Ee]rror while (?:creating|attaching).{0,40}shared memory segment"
    r"|\b(?:shm(?:at|get|ctl)|sem(?:op|timedop|ctl|get))\b.{0,80}(?:Identifier removed|EIDRM)"
    r"|rebuild_storage_filename|torch_shm_manager",
)
GONE = re.compile(r"No such file or directory|ENOENT|\[Errno 2\]|Identifier removed|EIDRM", re.I)
SMALL = 1 << 30
SHARED_MEMORY = re.compile(
    r"shared memory|/dev/shm|shm_open|\bshmget\b|\bshmat\b|sysv_shm|</torch_|/torch_\d|nccl-\w+|'/psm_"
    "|Call to (?:posix_fallocate|ftruncate|fallocate) failed",
    re.I,
)
# the locks, queues and arrays of multiprocessing lie in /dev/shm; its arenas do, too, unless somebody moved them
MAKES_SEGMENTS = re.compile(
    r"(?:^|[/(])(?:(?:multiprocess(?:ing)?|billiard)/(?:queues|synchronize|heap|shared_memory|sharedctypes|context)"
    r"|shared_?memory)\.py\b"
)
INNERMOST = 3


def is_gone(fact: PythonException) -> bool:
    """True where multiprocessing itself opened what is not there."""
    inner = fact.frames[0] if fact.frames else ""
    return fact.type.endswith("FileNotFoundError") and any(file in inner for file in OPENERS)


def missed_segments(incident: Incident) -> list[Evidence]:
    """The errors that say of a segment that it is not there any more."""
    return [said.fact for said in matching(incident, SHARED) if GONE.search(said.text)]


def makes_segments(fact: Evidence) -> bool:
    """True where the innermost calls of a traceback make a lock, a queue or an array that processes share."""
    return isinstance(fact, PythonException) and any(map(MAKES_SEGMENTS.search, fact.frames[:INNERMOST]))
