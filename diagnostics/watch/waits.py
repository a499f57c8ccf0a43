"""Which threads of a run have not moved while they wait for a filesystem.

Read from /proc alone, in this process: stat, wchan and the descriptor links of another process are answered
by the kernel and never by a volume. The scan paces itself, so that it stays under half a percent of a core.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from pathlib import Path

from ..mounttable import mount_of, read_mount_table
from ..procfs import family, numbers_in, read_file, stat_fields
from ..stuck import CALLS, WAITS

NETWORK_S, LOCAL_S = 4.0, 15.0  # a local disk may take its time over an fsync of 35 GB
SHARE = 0.005


@dataclass(frozen=True)
class Wait:
    """A thread that has not moved since `since` (monotonic seconds)."""

    pid: int
    tid: int
    wchan: str
    since: float


class WaitingThreads:
    """The threads of one process and its descendants, looked at again and again."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.waits: dict[tuple[int, int], tuple[str, Wait]] = {}
        self.next_look = 0.0

    def look(self, now: float) -> None:
        """Look again, unless the last look was so costly that it has to wait."""
        if now < self.next_look:
            return
        start = time.thread_time()
        found: dict[tuple[int, int], tuple[str, Wait]] = {}
        for pid in family(self.pid):
            for tid in numbers_in(f"/proc/{pid}/task"):
                base = f"/proc/{pid}/task/{tid}"
                wchan = read_file(f"{base}/wchan")
                if not wchan.startswith(WAITS):
                    continue
                key, moved = (pid, tid), _moves(base)
                before = self.waits.get(key)
                same = before is not None and before[0] == moved
                found[key] = before if before and same else (moved, Wait(pid, tid, wchan, now))
        self.waits = found
        self.next_look = now + max(1.0, (time.thread_time() - start) / SHARE)

    def stuck(self, now: float) -> str:
        """Why a thread counts as stuck, or ""."""
        for _, wait in self.waits.values():
            waited = now - wait.since
            if waited > NETWORK_S:
                path, network = _file(wait)
                if network or waited > LOCAL_S:
                    return f"thread {wait.tid} of pid {wait.pid} waits in {wait.wchan} for {waited:.0f} s{path}"
        return ""


def _moves(base: str) -> str:
    """What changes when a thread runs: its CPU ticks and context switches."""
    fields = stat_fields(base)
    switches = [line for line in read_file(f"{base}/status").splitlines() if "ctxt" in line]
    return " ".join([*fields[11:13], *switches])


def _file(wait: Wait) -> tuple[str, bool]:
    """The file that the thread's call names, for people, and whether it may lie on a network volume."""
    words = read_file(f"/proc/{wait.pid}/task/{wait.tid}/syscall").split()
    call = CALLS.get(int(words[0])) if words and words[0].lstrip("-").isdigit() else None
    if call and call.descriptor is not None:
        with contextlib.suppress(OSError, IndexError):
            target = str(Path(f"/proc/{wait.pid}/fd/{int(words[1 + call.descriptor], 16)}").readlink())
            if target.startswith("/"):
                return f", in {call.name} of {target}", mount_of(target, read_mount_table()).filesystem.network
    return "", True
