"""How fast a large training log is read: a step line every 200 bytes, some other lines between.

    python -m benchmarks.joblog [MEGABYTES]

Start-up is excluded. Prints the rate of the parser of training logs, and of all that `parse` does with such a file, the
ratios to `grep -cF` for one word on the same file, and the memory, which must not grow with the steps.
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

from diagnostics.evidence.training import TrainingSteps
from diagnostics.incident import open_incident
from diagnostics.parsers import all_parsers, training_log
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
        for parser in all_parsers().values():
            _ = parser.searched.alternatives, parser.pattern
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        found = open_incident(path).of(TrainingSteps)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert sum(fact.steps for fact in found) == steps
        parser_s = best_of(3, lambda: list(training_log.read(text)))
        whole_s = best_of(3, lambda: open_incident(path))
        grep = best_of(
            3,
            lambda: subprocess.run(
                ["grep", "-cF", "needle", path], env=os.environ | {"LC_ALL": "C"}, stdout=subprocess.PIPE
            ),
        )
        megabytes = path.stat().st_size / 1e6
        for what, (wall, used) in (("the parser alone", parser_s), ("parse", whole_s)):
            print(
                f"{what}: {wall:.2f} s, {megabytes / wall:.0f} MB/s; processor {used:.2f} s, {megabytes / used:.0f} MB/s"
            )
            print(f"    {wall / grep[0]:.1f} times grep -cF by the clock, {used / grep[1]:.1f} times by the processor")
        rows = sum(len(fact.columns["step"]) for fact in found)
        print(f"{megabytes:.0f} MB, {steps:,} steps, {rows:,} rows kept; memory grew by {grown / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
