"""pyspy_PID.txt: the Python frames of the processes in scope, by `py-spy dump --nonblocking --locals`.

Always without pausing the process: an attaching dump never returns from a process that waits for a volume,
and turns an S wait into D. Locals often name the file that hangs. py-spy's own errors are kept: they tell
"not allowed" and "not Python" from "no frames".
"""

from __future__ import annotations

import sysconfig
import time
from collections.abc import Iterator

from ._collector import Collector, Piece, State, command_piece
from ._scope import Scope

TOGETHER_S = 8.0
ONE_S = 3.0


def collect(scope: Scope) -> Iterator[Piece]:
    start = time.monotonic()
    # beside this Python, else wherever PATH leads; a dead path hangs the child and not us
    tool = f'PATH="{sysconfig.get_path("scripts")}:$PATH" exec py-spy dump --nonblocking --locals --pid "$1"'
    for process in scope.processes:
        if not process.python:
            continue
        file = f"pyspy_{process.pid}.txt"
        if time.monotonic() - start > TOGETHER_S:
            yield Piece(file, b"", State.SILENT, f"not asked: {TOGETHER_S:g} s for all Python stacks were used up")
            continue
        piece = command_piece(scope, file, ["sh", "-c", tool, "sh", str(process.pid)], deadline_s=ONE_S)
        if piece.state is State.REFUSED and not piece.content:
            piece = Piece(file, f"Error: {piece.reason}\n".encode(), piece.state, piece.reason, piece.elapsed_s)
        yield piece


COLLECTOR = Collector("Python stacks, without pausing anybody", collect)
