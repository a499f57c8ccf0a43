"""Reads as a DataLoader makes them: random 256 KiB blocks by 0 (in line), 2 and 4 workers at once.

Existing files are read where there are some, else a staged one; the cache is dropped first. The worst stall
counts as much as the rate: a volume that gives 2 GB/s and pauses for 30 s kills a run all the same.
"""

from __future__ import annotations

import os
from typing import Any

from ..durable import write_all
from ..question import Question
from ._child import content, find_files, open_uncached, spread, stage_file
from ._probe import MIB, Plan, Probe, Rung


def ask_read_workers(say: Any, folder: str, stage: str, workers: int, size: int, seconds: float) -> dict[str, float]:
    import random
    import threading
    import time

    say(at="looking for files")
    files = find_files(folder, least=1 << 20) or [stage_file(stage, size)]
    block, share = 256 << 10, size // max(1, workers) // (256 << 10)
    latencies: list[float] = []
    problems: list[OSError] = []

    def read_some(seed: int) -> None:
        chance = random.Random(seed)
        try:
            opened = [(open_uncached(path), length) for path, length in files]
            for _ in range(max(1, share)):
                if time.perf_counter() - begin > seconds:
                    break
                descriptor, length = chance.choice(opened)
                offset = chance.randrange(max(1, length - block)) & ~4095
                start = time.perf_counter()
                os.pread(descriptor, block, offset)
                latencies.append(time.perf_counter() - start)
        except OSError as error:
            problems.append(error)

    say(at="random reads", workers=workers, path=files[0][0])
    begin = time.perf_counter()
    threads = [threading.Thread(target=read_some, args=(number,)) for number in range(max(1, workers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]
    took = time.perf_counter() - begin
    return {
        "workers": workers,
        "reads": len(latencies),
        "bytes_per_s": len(latencies) * block / took,
        **spread(latencies),
    }


def rungs(plan: Plan) -> list[Rung]:
    size = min(plan.size, 64 * MIB)
    return [{"workers": workers, "size": size, "written": size if workers == 0 else 0} for workers in (0, 2, 4)]


PROBE = Probe(
    "do random reads by several workers flow",
    Question(ask_read_workers, uses=(content, find_files, open_uncached, spread, stage_file, write_all)),
    deadline_s=20,
    order=21,
    rungs=rungs,
    paced=True,
)
