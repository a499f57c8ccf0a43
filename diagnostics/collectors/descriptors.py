"""fds.txt: what every descriptor of the processes in scope points at, as `ls -l /proc/PID/fd` prints it.

    == pid 31802
    lr-x------ 1 root root 64 Nov 29 13:00 12 -> /workspace/mfs/mnt/shards/shard_0017.bin

Links are read, never followed. gpu_holders.txt: who holds /dev/nvidia*, of all processes, as lsof prints it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ..question import Question
from ._collector import Collector, Piece, question_piece
from ._scope import Scope

MOST_DESCRIPTORS = 1000


def show_descriptors(say: Any, pids: list[int], most: int) -> dict[str, str]:
    import stat
    import time

    denied = 0
    for pid in pids:
        text = [f"== pid {pid}"]
        try:
            numbers = sorted(map(int, os.listdir(f"/proc/{pid}/fd")))
        except OSError as error:
            denied += isinstance(error, PermissionError)
            text.append(f"ls: cannot open directory '/proc/{pid}/fd': {error.strerror}")
            numbers = []
        for number in numbers[:most]:
            try:
                link = f"/proc/{pid}/fd/{number}"
                target, status = os.readlink(link), os.lstat(link)
            except OSError:
                continue
            when = time.strftime("%b %d %H:%M", time.gmtime(status.st_mtime))
            owner = f"{status.st_uid} {status.st_gid} {status.st_size}"
            text.append(f"{stat.filemode(status.st_mode)} 1 {owner} {when} {number} -> {target}")
        if len(numbers) > most:
            text.append(f"pid {pid} open files: {len(numbers)}")
        say(text="\n".join(text) + "\n")
    return {"reason": f"not allowed to read those of {denied} processes" if denied else ""}


def show_gpu_holders(say: Any) -> None:
    say(text="COMMAND     PID  USER   FD   TYPE DEVICE SIZE/OFF NODE NAME\n")
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/comm", errors="replace") as file:
                comm = file.read().strip().replace(" ", "_")
            uid = os.stat(f"/proc/{name}").st_uid
            for entry in os.scandir(f"/proc/{name}/fd"):
                target = os.readlink(entry.path)
                if target.startswith("/dev/nvidia"):
                    say(text=f"{comm:9} {name:>5} {uid:>5} {entry.name:>4}u   CHR  195,0      0t0  0 {target}\n")
        except OSError:
            continue


DESCRIPTORS, HOLDERS = Question(show_descriptors), Question(show_gpu_holders)


def collect(scope: Scope) -> Iterator[Piece]:
    yield question_piece(scope, "fds.txt", DESCRIPTORS, pids=scope.seen, most=MOST_DESCRIPTORS)
    holders = question_piece(scope, "gpu_holders.txt", HOLDERS)
    if holders.content.count(b"\n") > 1:
        yield holders


COLLECTOR = Collector("open files", collect)
