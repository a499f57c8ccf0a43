"""How fast a large training log is read: a step line every 200 bytes, some other lines between; and one of bars.

    python -m benchmarks.joblog [MEGABYTES]

The log of bars (a tenth as long) is tqdm's, each state behind a carriage return and an epoch to a line. Start-up is
excluded. Prints the rate of the parser of training logs, and of all that `parse` does with such a file, the
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


BAR = "\rEpoch {epoch}: {percent:3}%|{fill:<10}| {done}/20000 [{minute:02}:{second:02}<1:10:02, {rate:.2f}it/s, loss={loss:.3f}]"


def write_bars(path: Path, size: int) -> None:
    """Write a log of about `size` bytes in which a progress bar rewrites its line."""
    epoch = 0
    with path.open("w") as file:
        while file.tell() < size:
            file.writelines(
                BAR.format(
                    epoch=epoch, percent=done // 200, fill="█" * (done // 2000), done=done, minute=done // 600,
                    second=done // 10 % 60, rate=9.5 + done % 7 / 10, loss=2 + done % 1000 / 1000,
                )
                for done in range(20_000)
            )  # fmt: skip
            file.write(f"\nepoch {epoch} done\n")
            epoch += 1


def best_of(times: int, call: Callable[[], object]) -> tuple[float, float]:
    """The least wall-clock and processor seconds (children too) of some calls."""
    took = []
    for _ in range(times):
        wall, used = time.perf_counter(), sum(os.times()[:4])
        call()
        took.append((time.perf_counter() - wall, sum(os.times()[:4]) - used))
    return min(wall for wall, _ in took), min(used for _, used in took)


def grep_of(path: Path) -> tuple[float, float]:
    """What grep takes to count a word in a file."""
    command = ["grep", "-cF", "needle", path]
    return best_of(
        3, lambda: subprocess.run(command, env=os.environ | {"LC_ALL": "C"}, stdout=subprocess.PIPE, check=False)
    )


def show(what: str, megabytes: float, took: tuple[float, float], grep: tuple[float, float]) -> None:
    wall, used = took
    print(f"{what}: {wall:.2f} s, {megabytes / wall:.0f} MB/s; processor {used:.2f} s, {megabytes / used:.0f} MB/s")
    print(
        f"    {wall / grep[0]:.1f} times grep -cF by the clock, {used / max(grep[1], 0.01):.1f} times by the processor"
    )


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
        grep = grep_of(path)
        megabytes = path.stat().st_size / 1e6
        show("the parser alone", megabytes, parser_s, grep)
        show("parse", megabytes, whole_s, grep)
        rows = sum(len(fact.columns["step"]) for fact in found)
        print(f"{megabytes:.0f} MB, {steps:,} steps, {rows:,} rows kept; memory grew by {grown / 1024:.0f} MiB")
        bars = Path(folder, "nohup.out")
        write_bars(bars, size // 10)
        bars_s = best_of(1, lambda: open_incident(bars))
        show("parse, of bars", bars.stat().st_size / 1e6, bars_s, grep_of(bars))


if __name__ == "__main__":
    main()
