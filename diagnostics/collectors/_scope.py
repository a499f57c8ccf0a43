"""Whom a collection is about: the processes worth looking at, the logs, the folders, the limits."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..filesystems import CLIENTS
from ..mounttable import MountPoint, read_mount_table
from ..procfs import numbers_in, open_paths, read_file, stat_fields
from ..question import Question

MOST_PROCESSES = 96


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
    stats = {pid: stat_fields(f"/proc/{pid}") for pid in numbers_in("/proc")}
    parents = {pid: int(fields[1]) for pid, fields in stats.items() if fields}
    family = set(named)
    for _ in range(8):
        family |= {pid for pid, parent in parents.items() if parent in family}
    rows: list[tuple[int, int, str, str, bool]] = []
    for pid, parent in parents.items():
        comm = read_file(f"/proc/{pid}/comm").strip()
        ours = mine in (pid, parent) and pid not in family
        if ours or 2 in (pid, parent) or comm.startswith("dx-"):
            continue
        states = {
            field for tid in numbers_in(f"/proc/{pid}/task") for field in stat_fields(f"/proc/{pid}/task/{tid}")[:1]
        }
        python = runs_python(pid, comm)
        reasons = (
            ("named", pid in family),
            ("state D", "D" in states),
            ("holds a GPU", any(path.startswith("/dev/nvidia") for path in open_paths(pid).values())),
            ("serves a FUSE volume", comm.startswith(tuple(daemons))),
            ("zombie", "Z" in states and python and not named),
            ("runs Python", python and not named),
        )
        why = next(((rank, why) for rank, (why, holds) in enumerate(reasons) if holds), None)
        if why:
            rows.append((why[0], pid, comm, why[1], python))
    rows.sort()
    return {"processes": rows[:most], "left_out": max(0, len(rows) - most), "all": len(stats)}


def runs_python(pid: int, comm: str) -> bool:
    try:
        binary = os.path.basename(os.readlink(f"/proc/{pid}/exe"))
    except OSError:
        binary = ""
    return binary.startswith("python") or comm.startswith(("python", "pt_data_worker", "pt_elastic", "torchrun"))


SURVEY = Question(find_processes, uses=(read_file, numbers_in, open_paths, stat_fields, runs_python))


def survey(scope: Scope) -> str:
    """Fill in the scope's processes; returns why some are missing, or ""."""
    answer = SURVEY.ask(
        "",
        8.0,
        cancel=scope.cancel,
        named=list(scope.pids),
        mine=os.getpid(),
        daemons=list(CLIENTS),
        most=MOST_PROCESSES,
    )
    rows = answer.values.get("processes", [])
    scope.processes = [Process(pid, comm, why, python) for _, pid, comm, why, python in rows]
    if not answer.values:
        scope.processes = [Process(pid, "", "named", True) for pid in scope.pids]
        return f"the processes could not be listed: {answer.text}"
    left_out = answer.values["left_out"]
    return f"{left_out} more processes run Python and were left out" if left_out else ""
