"""ls.txt: the folders that hold checkpoints, named by the person or by a command line, sizes and times exact.

    $ ls -l /workspace/ckpt
    -rw-r--r-- 1 root root 130845335 2026-11-29 13:08:02.919007054 +0000 step_000006.pt

Each folder is listed in a child of its own, since it may lie on the dead volume.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..mounttable import mount_of
from ..question import Question
from ._collector import Collector, Piece, State, question_piece
from ._scope import Scope

ONE_S = 5.0
MOST_FOLDERS, MOST_NAMES = 12, 400
ENDINGS = (".pt", ".pth", ".ckpt", ".safetensors", ".distcp", ".part", ".tmp", ".bin")


def name_folders(say: Any, pids: list[int]) -> dict[str, list[str]]:
    """Absolute paths on the command lines of the processes; nothing is asked of any of them."""
    found: dict[str, None] = {}
    for pid in pids:
        try:
            with open(f"/proc/{pid}/cmdline", errors="surrogateescape") as file:
                words = file.read().split("\0")
        except OSError:
            continue
        for word in words[1:]:
            path = word.partition("=")[2] if word.startswith("--") else word
            if path.startswith("/") and "\n" not in path:
                found[path] = None
    return {"folders": list(found)}


def list_folder(say: Any, folder: str, wanted: bool, endings: list[str], most: int) -> None:
    import stat
    import time

    rows, partly, holds = [], "", wanted
    if not os.path.isdir(folder):
        return
    for number, entry in enumerate(os.scandir(folder)):
        if number >= most:
            partly = f"more than {most} names"
            break
        status = entry.stat(follow_symlinks=False)
        holds = (
            holds
            or entry.name.endswith(tuple(endings))
            or entry.name.startswith(("checkpoint", "step_", "global_step"))
        )
        seconds, nanoseconds = divmod(status.st_mtime_ns, 10**9)
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds)) + f".{nanoseconds:09} +0000"
        owner = f"{status.st_nlink} {status.st_uid} {status.st_gid} {status.st_size:>12}"
        rows.append((entry.name, f"{stat.filemode(status.st_mode)} {owner} {when} {entry.name}\n"))
    if holds:
        say(text=f"$ ls -l {folder}\n" + "".join(row for _, row in sorted(rows)) + (f"({partly})\n" if partly else ""))


NAMES, LIST = Question(name_folders), Question(list_folder)


def collect(scope: Scope) -> Iterator[Piece]:
    named = [*scope.folders]
    found = NAMES.ask("/proc", 5, cancel=scope.cancel, pids=scope.seen).values.get("folders", [])
    folders = list(dict.fromkeys([*named, *found]))[:MOST_FOLDERS]
    with ThreadPoolExecutor(6) as pool:
        pieces = list(pool.map(lambda folder: _list(scope, folder, folder in named), folders))
    silent = [f"{folder}: {p.reason}" for folder, p in zip(folders, pieces, strict=True) if p.state is not State.READ]
    content = b"".join(piece.content for piece in pieces)
    if content or silent:
        state = State.SILENT if any(p.state is State.SILENT for p in pieces) else State.READ
        yield Piece("ls.txt", content, state, "; ".join(silent))


def _list(scope: Scope, folder: str, wanted: bool) -> Piece:
    return question_piece(
        scope, "ls.txt", LIST, deadline_s=ONE_S, mount=mount_of(folder).mount,
        folder=folder, wanted=wanted, endings=list(ENDINGS), most=MOST_NAMES,
    )  # fmt: skip


COLLECTOR = Collector("listings of checkpoint folders", collect)
