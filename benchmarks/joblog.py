"""How fast a large training log is read: a step line every 200 bytes, some other lines between.

    python -m benchmarks.joblog [MEGABYTES]

Start-up is excluded. Prints the rate, the ratio to `grep -cF` for one word on the same file, and the memory.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy  # noqa: F401  (its import is start-up)

from diagnostics.evidence.job import TrainingSteps
from diagnostics.parsers import training_log
from diagnostics.text import Text

LINE = (
    "2026-11-29 {hour:02}:{minute:02}:{second:02},{milli:03} INFO train: step {step} | loss {loss:.4f} | grad_norm {norm:.3f}"
    " | lr 1.00e-03 | {rate:,} tok/s | data_wait 0.0{wait}s | memory 71.23 GiB | mfu 41.2% | skipped 0 | world 8\n"
)
OTHER = "2026-11-29 12:00:00,000 INFO train: saving checkpoint step {step} -> /workspace/ckpt/step_{step:08}.pt\n"


def write(path: Path, size: int) -> int:
    """Write a log of about `size` bytes; returns its steps."""
    step = 0
    with path.open("w") as file:
        while file.tell() < size:
            lines = []
            for _ in range(10_000):
                step += 1
                moment = step // 4
                lines.append(
                    LINE.format(
                        hour=moment // 3600 % 24, minute=moment // 60 % 60, second=moment % 60, milli=step % 4 * 250,
                        step=step, loss=2 + 6 / (1 + step / 1000), norm=step * 7919 % 1000 / 1000,
                        rate=23_200 + step * 31 % 500, wait=step % 10,
                    )
                )  # fmt: skip
            file.writelines([*lines, OTHER.format(step=step)])
    return step


def best_of(times: int, call: Callable[[], object]) -> tuple[float, float]:
    """The least wall-clock and processor seconds (children too) of some calls."""
    took = []
    for _ in range(times):
        wall, used = time.perf_counter(), sum(os.times()[:4])
        call()
        took.append((time.perf_counter() - wall, sum(os.times()[:4]) - used))
    return min(wall for wall, _ in took), min(used for _, used in took)


def main() -> None:
    size = int(sys.argv[1]) << 20 if len(sys.argv) > 1 else 1 << 30
    with tempfile.TemporaryDirectory(prefix="joblog-") as folder:
        path = Path(folder, "train.log")
        steps = write(path, size)
        text = Text("train.log", b"")
        text.path = path  # type: ignore[attr-defined]
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        facts = list(training_log.read(text))
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert sum(fact.steps for fact in facts if isinstance(fact, TrainingSteps)) == steps
        ours = best_of(2, lambda: list(training_log.read(text)))
        grep = best_of(
            2,
            lambda: subprocess.run(
                ["grep", "-cF", "needle", path], env=os.environ | {"LC_ALL": "C"}, stdout=subprocess.PIPE
            ),
        )
        megabytes = path.stat().st_size / 1e6
        print(f"{megabytes:.0f} MB, {steps:,} steps: {ours[0]:.2f} s, {megabytes / ours[0]:.0f} MB/s")
        print(f"processor: {ours[1]:.2f} s, {megabytes / ours[1]:.0f} MB/s")
        print(f"ratio to grep -cF: {ours[0] / grep[0]:.1f} by the clock, {ours[1] / grep[1]:.1f} by the processor")
        print(f"memory: {grown / 1024:.0f} MiB for columns of {steps * 8 * 8 / 2**20:.0f} MiB")


if __name__ == "__main__":
    main()
