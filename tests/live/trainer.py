"""A small real training run: a DataLoader with two workers reads shards, a model takes steps, all is logged.

python trainer.py --data FOLDER [--steps N] [--step-s SECONDS] [--workers N] [--out FOLDER]
"""

from __future__ import annotations

import argparse
import logging
import os
import time
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s train: %(message)s")


class Shards(Dataset):  # type: ignore[type-arg]
    """Blocks of the files in a folder, read past the page cache so that every item asks the volume."""

    def __init__(self, folder: Path) -> None:
        self.paths = sorted(folder.iterdir())

    def __len__(self) -> int:
        return 1_000_000

    def __getitem__(self, index: int) -> torch.Tensor:
        with open(self.paths[index % len(self.paths)], "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            return torch.frombuffer(bytearray(file.read(4096)), dtype=torch.uint8).float() / 255


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--step-s", type=float, default=0.2)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    model = torch.nn.Linear(4096, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    logging.info("pid %d | loader workers %d | data %s", os.getpid(), arguments.workers, arguments.data)
    start = time.perf_counter()
    for step, batch in enumerate(DataLoader(Shards(arguments.data), batch_size=8, num_workers=arguments.workers), 1):
        waited = time.perf_counter() - start
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        time.sleep(arguments.step_s)
        took = time.perf_counter() - start
        rate = f"{8 * 4096 / took:,.0f} tok/s | data_wait {waited:.2f}s"
        logging.info("step %d | loss %.4f | grad_norm 1.000 | lr 1.00e-03 | %s", step, loss.item(), rate)
        if arguments.out and step % 20 == 0:
            torch.save(model.state_dict(), arguments.out / f"step_{step:06}.pt")
        if step >= arguments.steps:
            break
        start = time.perf_counter()
    logging.info("done at step %d", step)


if __name__ == "__main__":
    main()
