"""Does each GPU take a copy from the host and give it back unchanged?"""

from __future__ import annotations

from typing import Any

from ..question import Question
from ._probe import Probe


def ask_gpu_copy(say: Any, folder: str, stage: str) -> dict[str, float]:
    import time

    say(at="import torch")
    import torch

    if not torch.cuda.is_available():
        raise OSError(19, "torch sees no GPU")
    found: dict[str, float] = {"gpus": torch.cuda.device_count()}
    host = torch.randint(0, 255, (256 << 20,), dtype=torch.uint8).pin_memory()
    for number in range(torch.cuda.device_count()):
        say(at=f"copy to GPU {number}")
        host[:1024].to(f"cuda:{number}")  # the first copy makes the context
        torch.cuda.synchronize(number)
        start = time.perf_counter()
        there = host.to(f"cuda:{number}", non_blocking=True)
        torch.cuda.synchronize(number)
        found[f"gpu{number}_to_device_bytes_per_s"] = host.numel() / (time.perf_counter() - start)
        say(at=f"copy from GPU {number}")
        found[f"gpu{number}_different"] = float(not torch.equal(there.cpu(), host))
    return found


PROBE = Probe(
    "does each GPU take a copy and give it back",
    Question(ask_gpu_copy, site=True),
    deadline_s=60,
    order=61,
    stages=False,
    about="machine",
)
