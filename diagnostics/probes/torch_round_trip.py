"""Does a real torch.save come back from torch.load, tensor by tensor?

The pod's own torch is imported in the child, unless it lives on the volume in question: then the import
itself would be the test.
"""

from __future__ import annotations

import os
from typing import Any

from ..question import Question
from ._probe import MIB, Plan, Probe, Rung


def ask_torch_round_trip(say: Any, folder: str, stage: str, size: int) -> dict[str, float]:
    import sys
    import time

    if any(entry.startswith(folder.rstrip("/") + "/") for entry in sys.path):
        raise RuntimeError("the Python packages live on this volume: its own test would have to import them from it")
    say(at="import torch")
    import torch

    path = os.path.join(stage, "round-trip.pt")
    tensors = {f"weight_{number}": torch.randn(size // 32) for number in range(8)}
    say(at="torch.save", size_bytes=size)
    start = time.perf_counter()
    torch.save(tensors, path)
    saved = time.perf_counter() - start
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)
    say(at="torch.load", size_bytes=size)
    start = time.perf_counter()
    loaded = torch.load(path, weights_only=True)
    took = time.perf_counter() - start
    different = sum(not torch.equal(loaded[name], tensor) for name, tensor in tensors.items())
    os.unlink(path)
    return {"size_bytes": size, "save_s": saved, "load_s": took, "different_tensors": different}


def rungs(plan: Plan) -> list[Rung]:
    size = min(plan.size, 64 * MIB)
    return [{"size": size, "written": size}]


PROBE = Probe(
    "does torch.save come back from torch.load",
    Question(ask_torch_round_trip, site=True),
    deadline_s=60,
    order=50,
    rungs=rungs,
)
