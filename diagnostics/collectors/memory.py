"""meminfo.txt, pressure.txt (PSI and load), cgroup.txt (this container's limits, use and kills), shm.txt."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ..question import Question
from ._collector import Collector, Piece, command_piece, question_piece
from ._scope import Scope

CGROUP_FILES = (
    "memory.max memory.high memory.current memory.peak memory.swap.max memory.events memory.limit_in_bytes "
    "memory.usage_in_bytes memory.max_usage_in_bytes memory.failcnt memory.oom_control cpu.max cpu.stat pids.max "
    "pids.current memory.pressure io.pressure cpu.pressure cpu.cfs_quota_us cpu.cfs_period_us"
).split()


def show_pressure(say: Any) -> None:
    for resource in ("cpu", "io", "memory", "irq"):
        try:
            with open(f"/proc/pressure/{resource}") as file:
                say(text="".join(f"{resource} {line}" for line in file))
        except OSError:
            continue
    with open("/proc/loadavg") as file:
        say(text=f"loadavg {file.read()}")


def show_cgroup(say: Any, pids: list[int], files: list[str]) -> None:
    """Each file of the control groups that the processes are in, `path:` and content, both versions."""
    seen = set()
    for pid in ["self", *pids]:
        try:
            with open(f"/proc/{pid}/cgroup") as file:
                rows = [line.strip().split(":", 2) for line in file]
        except OSError:
            continue
        for _, controllers, group in rows:
            for root in (f"/sys/fs/cgroup/{controllers}", "/sys/fs/cgroup"):
                for folder in (root + group, root):
                    if folder in seen or not os.path.isdir(folder):
                        continue
                    seen.add(folder)
                    for name in files:
                        path = os.path.join(folder, name)
                        try:
                            with open(path) as file:
                                say(text=f"{path}:\n{file.read()}")
                        except OSError:
                            continue


PRESSURE, CGROUP = Question(show_pressure), Question(show_cgroup)


def collect(scope: Scope) -> Iterator[Piece]:
    with open("/proc/meminfo", "rb") as file:
        yield Piece("meminfo.txt", file.read())
    yield question_piece(scope, "pressure.txt", PRESSURE)
    yield question_piece(scope, "cgroup.txt", CGROUP, pids=scope.seen[:16], files=CGROUP_FILES)
    listing = command_piece(
        scope, "shm.txt", ["ls", "-l", "--time-style=full-iso", "/dev/shm"], head="$ ls -l /dev/shm\n", mount="/dev/shm"
    )
    if not listing.answered or listing.content.count(b"\n") > 2:
        yield listing


COLLECTOR = Collector("memory, pressure and limits of the container", collect)
