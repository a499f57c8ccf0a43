"""Whom a collection is about: the processes worth looking at, the logs, the folders, the limits."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..mounttable import MountPoint, read_mount_table
from ..question import Question

MOST_PROCESSES = 96
FUSE_DAEMONS = (
    "mfsmount sshfs s3fs gcsfuse juicefs ceph-fuse glusterfs rclone goofys mount-s3 lizardfs-mount bindfs".split()
)


@dataclass(frozen=True)
class Process:
    """A process worth looking at, and why."""

    pid: int
    comm: str
    why: str
    python: bool


@dataclass
class Scope:
    """What one collection looks at.

    `pids` were named by the person: then other Python processes are left alone, and what is looked at are they,
    what they started, whoever waits in D or holds a GPU, and the daemons of the volumes.
    """

    pids: Sequence[int] = ()
    logs: Sequence[str] = ()
    folders: Sequence[str] = ()
    ask_volumes: bool = True
    most_bytes: int = 16 << 20
    log_bytes: int = 2 << 20
    cancel: threading.Event = field(default_factory=threading.Event)
    processes: Sequence[Process] = ()
    mounts: Sequence[MountPoint] = field(default_factory=read_mount_table)

    @property
    def seen(self) -> list[int]:
        """The pids to look at closely."""
        return [process.pid for process in self.processes]


def find_processes(say: Any, named: list[int], mine: int, daemons: list[str], most: int) -> dict[str, Any]:
    """Everything named, waiting in D, holding a GPU or serving a volume, else running Python; best first."""
    parents: dict[int, int] = {}
    rows: list[tuple[int, int, str, str, bool]] = []
    family = set(named)

    def read(path: str) -> str:
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read(4096)
        except OSError:
            return ""

    pids = sorted(int(name) for name in os.listdir("/proc") if name.isdigit())
    for pid in pids:
        fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
        if fields:
            parents[pid] = int(fields[1])
    for _ in range(8):
        family |= {pid for pid, parent in parents.items() if parent in family}
    for pid, parent in parents.items():
        comm = read(f"/proc/{pid}/comm").strip()
        ours = mine in (pid, parent) and pid not in family
        if ours or 2 in (pid, parent) or comm.startswith("dx-"):
            continue
        states = set()
        try:
            for thread in os.listdir(f"/proc/{pid}/task"):
                states.add(read(f"/proc/{pid}/task/{thread}/stat").rpartition(")")[2].strip()[:1])
        except OSError:
            pass
        holds_gpu = False
        try:
            for entry in os.scandir(f"/proc/{pid}/fd"):
                holds_gpu = holds_gpu or os.readlink(entry.path).startswith("/dev/nvidia")
        except OSError:
            pass
        try:
            binary = os.path.basename(os.readlink(f"/proc/{pid}/exe"))
        except OSError:
            binary = ""
        python = binary.startswith("python") or comm.startswith(("python", "pt_data_worker", "pt_elastic", "torchrun"))
        reasons = (
            (0, "named", pid in family),
            (1, "state D", "D" in states),
            (2, "holds a GPU", holds_gpu),
            (3, "serves a FUSE volume", comm in daemons),
            (4, "zombie", "Z" in states and python and not named),
            (5, "runs Python", python and not named),
        )
        for rank, why, holds in reasons:
            if holds:
                rows.append((rank, pid, comm, why, python))
                break
    rows.sort()
    return {"processes": rows[:most], "left_out": max(0, len(rows) - most), "all": len(pids)}


SURVEY = Question(find_processes)


def survey(scope: Scope) -> str:
    """Fill in the scope's processes; returns why some are missing, or ""."""
    answer = SURVEY.ask(
        "",
        8.0,
        cancel=scope.cancel,
        named=list(scope.pids),
        mine=os.getpid(),
        daemons=FUSE_DAEMONS,
        most=MOST_PROCESSES,
    )
    rows = answer.values.get("processes", [])
    scope.processes = [Process(pid, comm, why, python) for _, pid, comm, why, python in rows]
    if not answer.values:
        scope.processes = [Process(pid, "", "named", True) for pid in scope.pids]
        return f"the processes could not be listed: {answer.text}"
    left_out = answer.values["left_out"]
    return f"{left_out} more processes run Python and were left out" if left_out else ""
