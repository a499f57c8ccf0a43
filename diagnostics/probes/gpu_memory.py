"""Is GPU memory in use that no visible process owns? Killed runs stuck in a dead volume never release theirs."""

from __future__ import annotations

from typing import Any

from ..question import Question
from ._probe import Probe


def ask_gpu_memory(say: Any, folder: str, stage: str) -> dict[str, float]:
    say(at="nvmlInit")
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        raise OSError(19, f"no GPU answers: {error}") from None
    found: dict[str, float] = {"gpus": pynvml.nvmlDeviceGetCount()}
    for number in range(int(found["gpus"])):
        say(at=f"GPU {number}")
        device = pynvml.nvmlDeviceGetHandleByIndex(number)
        memory = pynvml.nvmlDeviceGetMemoryInfo(device)
        owned = sum(process.usedGpuMemory or 0 for process in pynvml.nvmlDeviceGetComputeRunningProcesses(device))
        found[f"gpu{number}_used_bytes"] = memory.used
        found[f"gpu{number}_owned_bytes"] = owned
        found[f"gpu{number}_total_bytes"] = memory.total
    return found


PROBE = Probe(
    "is GPU memory in use that nobody owns",
    Question(ask_gpu_memory, site=True),
    deadline_s=15,
    order=60,
    stages=False,
    about="machine",
)
