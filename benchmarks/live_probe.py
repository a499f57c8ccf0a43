"""Probe throughput against fio's, on the same disk, with the same pattern; and what comparing costs.

    python -m benchmarks.live_probe [FOLDER] [--size BYTES] [--rounds N]

Ratios of the best of the rounds, since a busy neighbour only ever slows: 1.0 = as fast as fio. `compare` is the read back with the comparison over the read alone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from diagnostics.probes import ask
from diagnostics.probes._child import content, open_uncached
from diagnostics.probes.write_file import compare

BLOCK = 1 << 20


def fio(folder: str, size: int) -> float:
    """Bytes per second of fio's one job that writes 1 MiB blocks and syncs at the end."""
    command = [
        "fio", "--name=one", f"--filename={folder}/fio", "--rw=write", f"--bs={BLOCK}", f"--size={size}",
        "--ioengine=psync", "--invalidate=1", "--output-format=json", "--end_fsync=1",
    ]  # fmt: skip
    job = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["jobs"][0]
    # gone before the other's turn: on a virtual machine memory that was never touched is ten times slower to fill
    Path(folder, "fio").unlink()
    return float(job["write"]["bw_bytes"])


def ours(folder: str, size: int) -> float:
    """The probe's own figure for a file of that size."""
    answers = ask("write-file", folder, size=size, deadline_s=300, reserve=0)
    return answers[-1].values["bytes_per_s"]


def fio_random(folder: str, size: int) -> float:
    """Bytes per second of random 256 KiB reads of fio's own file, from an empty cache."""
    command = [
        "fio", "--name=one", f"--filename={folder}/fio", "--rw=randread", "--bs=256k", f"--size={size}",
        "--io_size=64m", "--ioengine=psync", "--invalidate=1", "--fadvise_hint=random", "--output-format=json",
    ]  # fmt: skip
    return float(
        json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["jobs"][0]["read"]["bw_bytes"]
    )


def ours_random(folder: str, size: int) -> float:
    """The probe's figure for the same file, read in line."""
    return ask("read-workers", folder, size=64 << 20, reserve=0)[0].values["bytes_per_s"]


def seconds(act: object) -> float:
    start = time.perf_counter()
    act()  # type: ignore[operator]
    return time.perf_counter() - start


def read_only(path: str) -> None:
    descriptor = open_uncached(path)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_SEQUENTIAL)
    while os.read(descriptor, BLOCK):
        pass
    os.close(descriptor)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default="/var/tmp")
    parser.add_argument("--size", type=int, default=512 << 20)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        pairs = [(fio(folder, arguments.size), ours(folder, arguments.size)) for _ in range(arguments.rounds)]
        theirs, mine = (max(column) for column in zip(*pairs, strict=True))
        print("pairs, MB/s: " + ", ".join(f"{a / 1e6:,.0f}/{b / 1e6:,.0f}" for a, b in pairs))
        print(f"write + fsync: probe {mine / 1e6:,.0f} MB/s, fio {theirs / 1e6:,.0f} MB/s, ratio {mine / theirs:.2f}")
        reads = [
            (fio_random(folder, arguments.size), ours_random(folder, arguments.size)) for _ in range(arguments.rounds)
        ]
        theirs, mine = (max(column) for column in zip(*reads, strict=True))
        print(
            f"random 256 KiB reads: probe {mine / 1e6:,.0f} MB/s, fio {theirs / 1e6:,.0f} MB/s, ratio {mine / theirs:.2f}"
        )
        path = str(Path(folder) / "compared")
        with open(path, "wb") as file:
            for _, block in content(arguments.size, arguments.size):
                file.write(block)
            os.fsync(file.fileno())
        rounds = range(arguments.rounds)
        plain = min(seconds(lambda: read_only(path)) for _ in rounds)
        full = min(seconds(lambda: compare(path, arguments.size, arguments.size, float("inf"))) for _ in rounds)
        made = min(seconds(lambda: all(content(arguments.size, arguments.size))) for _ in rounds)
        print(
            f"read back {plain:.3f} s, with the comparison {full:.3f} s (making the content again takes {made:.3f} s)"
        )
    sys.stdout.flush()


if __name__ == "__main__":
    main()
