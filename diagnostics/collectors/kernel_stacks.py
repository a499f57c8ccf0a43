"""proc_stacks.txt: state, wait channel, system call and kernel stack of every thread of the processes in scope.

    == pid 12414 (pt_data_worker) 12:57:15
    State:	D (disk sleep)
    -- tid 12414 (pt_data_worker) State: D (disk sleep) cpu_ticks 9
    wchan: request_wait_answer
    syscall: 0 0xc 0x55faa2e78ab0 ...
    [<0>] request_wait_answer+0x151/0x210

Every thread, since /proc/PID/status speaks of the main thread alone. Stacks need CAP_SYS_ADMIN and system
calls the right to trace: what may not be read is left out and the reason says so.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ..question import Question
from ._collector import Collector, Piece, question_piece
from ._scope import Scope

MOST_THREADS = 300


def show_threads(say: Any, pids: list[int], most: int) -> dict[str, str]:
    """Says one text a process; returns what could not be read."""
    import time

    refused: dict[str, int] = {}

    def read(path: str) -> str:
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read()
        except PermissionError:
            kind = os.path.basename(path)
            refused[kind] = refused.get(kind, 0) + 1
        except OSError:
            pass
        return ""

    wanted = ("Name", "State", "PPid", "Threads", "SigPnd", "ShdPnd")
    for pid in pids:
        status = read(f"/proc/{pid}/status").splitlines()
        if not status:
            continue
        comm = status[0].partition("\t")[2]
        text = [f"== pid {pid} ({comm}) {time.strftime('%H:%M:%S', time.gmtime())}"]
        text += [line for line in status if line.split(":")[0] in wanted]
        try:
            threads = sorted(map(int, os.listdir(f"/proc/{pid}/task")))[:most]
        except OSError:
            threads = []
        for tid in threads:
            base = f"/proc/{pid}/task/{tid}"
            state = next(
                (line for line in read(f"{base}/status").splitlines() if line.startswith("State:")), "State: ?"
            )
            fields = read(f"{base}/stat").rpartition(")")[2].split()
            ticks = int(fields[11]) + int(fields[12]) if len(fields) > 12 else 0
            name = read(f"{base}/comm").strip()
            text.append(f"-- tid {tid} ({name}) {' '.join(state.split())} cpu_ticks {ticks}")
            text += [f"wchan: {read(f'{base}/wchan') or '0'}"]
            if call := read(f"{base}/syscall").strip():
                text.append(f"syscall: {call}")
            if stack := read(f"{base}/stack").rstrip():
                text.append(stack)
        say(text="\n".join(text) + "\n\n")
    denied = ", ".join(f"{kind} of {count} threads" for kind, count in sorted(refused.items()))
    return {"reason": f"not allowed to read {denied}" if denied else ""}


STACKS = Question(show_threads)


def collect(scope: Scope) -> Iterator[Piece]:
    yield question_piece(scope, "proc_stacks.txt", STACKS, pids=scope.seen, most=MOST_THREADS)


COLLECTOR = Collector("kernel stacks of every thread", collect)
