"""Does a real DataLoader with two workers read shards from the volume, batch after batch?"""

from __future__ import annotations

import os
from typing import Any

from ..durable import write_all
from ..question import Question
from ._child import content, find_files, open_uncached, spread, stage_file
from ._probe import MIB, Plan, Probe, Rung


def ask_torch_dataloader(say: Any, folder: str, stage: str, size: int, seconds: float) -> dict[str, float]:
    import sys
    import time

    if any(entry.startswith(folder.rstrip("/") + "/") for entry in sys.path):
        raise RuntimeError("the Python packages live on this volume: its own test would have to import them from it")
    say(at="import torch")
    import torch
    from torch.utils.data import DataLoader, Dataset

    say(at="looking for files")
    files = find_files(folder, least=1 << 20) or [stage_file(stage, size)]

    class Blocks(Dataset):  # type: ignore[type-arg]
        def __len__(self) -> int:
            return 128

        def __getitem__(self, index: int) -> Any:
            path, length = files[index % len(files)]
            descriptor = open_uncached(path)
            try:
                block = os.pread(descriptor, 65536, (index * 65536) % max(1, length - 65536))
            finally:
                os.close(descriptor)
            return torch.frombuffer(bytearray(block.ljust(65536, b"\0")), dtype=torch.uint8)

    say(at="first batch", path=files[0][0])
    waits, start = [], time.perf_counter()
    begin = start
    for number, _ in enumerate(DataLoader(Blocks(), batch_size=8, num_workers=2)):
        waits.append(time.perf_counter() - start)
        say(at=f"batch {number + 1}", path=files[0][0])
        if time.perf_counter() - begin > seconds:
            break
        start = time.perf_counter()
    return {"batches": len(waits), "first_batch_s": waits[0], **spread(waits[1:])}


def rungs(plan: Plan) -> list[Rung]:
    size = min(plan.size, 16 * MIB)
    return [{"size": size, "written": size}]


PROBE = Probe(
    "does a DataLoader with two workers flow",
    Question(ask_torch_dataloader, uses=(content, find_files, open_uncached, spread, stage_file, write_all), site=True),
    deadline_s=60,
    order=51,
    rungs=rungs,
    paced=True,
)
