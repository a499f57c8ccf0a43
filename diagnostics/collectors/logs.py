"""logs/: the ends of the logs that were named, and of the files that the processes in scope write to.

A log may lie on the dead volume: each is read in a child of its own. Only regular files, without following a
link; a long log keeps its head (how the run was started) and its end (how it died).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..head_and_tail import HEAD_BYTES, left_out
from ..mounttable import mount_of
from ..question import Question
from ._collector import Collector, Piece, State, question_piece
from ._scope import Scope

ONE_S = 6.0
MOST_LOGS = 16


def name_logs(say: Any, pids: list[int]) -> dict[str, list[str]]:
    """Where output and errors of the processes go, and their other files that are called a log."""
    found: dict[str, None] = {}
    for pid in pids:
        for number in range(64):
            try:
                target = os.readlink(f"/proc/{pid}/fd/{number}")
            except OSError:
                continue
            is_log = number in (1, 2) or target.endswith((".log", ".out", ".err"))
            nameless = target.rpartition("/")[2].startswith("#") and target.endswith(" (deleted)")
            if is_log and target.startswith("/") and not target.startswith(("/dev/", "/proc/")) and not nameless:
                found[target] = None
    return {"logs": list(found)}


def read_ends(say: Any, path: str, head: int, most: int) -> dict[str, Any]:
    import stat

    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return {"reason": "no regular file"}
    pieces = [(0, status.st_size)]
    said: dict[str, Any] = {}
    if status.st_size > most:
        pieces = [(0, head), (status.st_size - most + head, status.st_size)]
        said = {"cut": True, "reason": left_out(status.st_size - most)}
    for number, (at, end) in enumerate(pieces):
        if number:
            say(text=f"\n{said['reason']}\n")
        while at < end and (data := os.pread(descriptor, min(1 << 18, end - at), at)):
            say(text=data.decode("utf-8", "surrogateescape"))
            at += len(data)
    return said


NAMES, ENDS = Question(name_logs), Question(read_ends, uses=(left_out,))


def collect(scope: Scope) -> Iterator[Piece]:
    found = NAMES.ask("/proc", 5, cancel=scope.cancel, pids=scope.seen).values.get("logs", [])
    paths = list(dict.fromkeys([*scope.logs, *found]))[:MOST_LOGS]
    with ThreadPoolExecutor(6) as pool:
        pieces = list(pool.map(lambda path: _read(scope, path), paths))
    taken: set[str] = set()
    for path, piece in zip(paths, pieces, strict=True):
        name = path.rpartition("/")[2]
        while name in taken:
            name = f"another_{name}"
        taken.add(name)
        yield Piece(f"logs/{name}", piece.content, piece.state, f"{path} {piece.reason}".strip(), piece.elapsed_s)


def _read(scope: Scope, path: str) -> Piece:
    if "\n" in path or path.endswith("(deleted)"):
        return Piece("", b"", State.REFUSED, "deleted")
    return question_piece(
        scope, "", ENDS, deadline_s=ONE_S, mount=mount_of(path).mount, path=path, head=HEAD_BYTES, most=scope.log_bytes
    )


COLLECTOR = Collector("the ends of the logs", collect)
