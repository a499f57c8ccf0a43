"""What a watch costs: its CPU share of one core, and the step time with and without it.

    python -m benchmarks.live_watch [--steps N] [--rounds N]

The trainer sleeps for its "GPU" time, so its steps are as steady as the machine allows.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TRAINER = Path(__file__).parents[1] / "tests" / "live" / "trainer.py"
STAMP = re.compile(rb"^\S+ (\d\d):(\d\d):(\d\d),(\d{3}) .* step \d+ ", re.MULTILINE)


def steps(output: bytes) -> list[float]:
    """The seconds between one step's line and the next one's."""
    at = [int(h) * 3600 + int(m) * 60 + int(s) + int(ms) / 1000 for h, m, s, ms in STAMP.findall(output)]
    return [after - before for before, after in itertools.pairwise(at[5:])]


def run(data: Path, count: int, out: Path | None) -> tuple[float, float]:
    """The median step and the CPU seconds per second of whatever is not the trainer."""
    trainer = [sys.executable, str(TRAINER), "--data", str(data), "--steps", str(count), "--step-s", "0.1"]
    watch = [sys.executable, "-m", "diagnostics", "watch", "--out", str(out), "--"] if out else []
    child = subprocess.Popen([*watch, *trainer], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert child.stdout
    lines, share, used, began = [], 0.0, 0.0, 0.0
    for line in child.stdout:
        lines.append(line)
        number = re.search(rb" step (\d+) ", line)
        if out and number and int(number[1]) in (50, count - 2):
            fields = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()
            cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            now = float(Path("/proc/uptime").read_text().split()[0])
            if began:
                share = (cpu - used) / (now - began)
            used, began = cpu, now
    child.wait()
    return statistics.median(steps(b"".join(lines))), share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        data.mkdir()
        for number in range(4):
            (data / f"shard_{number}.bin").write_bytes(os.urandom(1 << 20))
        bare, watched, shares = [], [], []
        for number in range(arguments.rounds):
            bare.append(run(data, arguments.steps, None)[0])
            step, share = run(data, arguments.steps, Path(folder) / f"watch{number}")
            watched.append(step)
            shares.append(share)
    plain, beside = statistics.median(bare), statistics.median(watched)
    print(f"step {plain * 1000:.1f} ms alone, {beside * 1000:.1f} ms watched, ratio {beside / plain:.3f}")
    print(f"the watch used {100 * statistics.median(shares):.2f} % of one core")


if __name__ == "__main__":
    main()
