"""Do existing files give their bytes? Blocks at random places of files that are there, past the page cache.

Nothing is written, so this is the question to ask of a volume that may be dead. Files are opened for reading
only; a volume without files has nothing to answer, and `read-workers` then stages one.
"""

from __future__ import annotations

import os
from typing import Any

from ..question import Question
from ._child import find_files, open_uncached, spread
from ._probe import Probe


def ask_read_data(say: Any, folder: str, stage: str, seconds: float) -> dict[str, float]:
    import random
    import time

    say(at="looking for files")
    begin = time.perf_counter()
    latencies: list[float] = []
    files, size = find_files(folder), 0
    for path, length in files:
        if time.perf_counter() - begin > seconds:
            break
        say(at="open", path=path)
        descriptor = open_uncached(path)
        try:
            for _ in range(4):
                if latencies and time.perf_counter() - begin > seconds:
                    break
                offset = random.randrange(max(1, length - 65536))
                say(at="read", path=path, offset=offset, done=len(latencies))
                start = time.perf_counter()
                size += len(os.pread(descriptor, 65536, offset))
                latencies.append(time.perf_counter() - start)
        finally:
            os.close(descriptor)
    return {"files": len(files), "reads": len(latencies), "bytes": size, **spread(latencies)}


PROBE = Probe(
    "do existing files give their bytes",
    Question(ask_read_data, uses=(find_files, open_uncached, spread)),
    deadline_s=10,
    order=20,
    stages=False,
    paced=True,
)
