"""pyspy_PID.txt: the Python frames of the processes in scope, by `py-spy dump --nonblocking --locals`.

Always without pausing the process: an attaching dump never returns from a process that waits for a volume,
and turns an S wait into D. Of the locals only paths and whole numbers are kept: they name the file or
descriptor that hangs, and the rest is nobody's business. py-spy's own errors are kept: they tell "not
allowed" and "not Python" from "no frames".
"""

from __future__ import annotations

import re
import sysconfig
import time
from collections.abc import Iterator
from dataclasses import replace

from ._collector import Collector, Piece, State, command_piece
from ._scope import Scope

# a local variable, four levels in: path: "/data/mnt/hang"      fd: 12
LOCAL = re.compile(rb"^ {12}\S")
TELLING = re.compile(rb"^ {12}\w{1,64}: (?:\"[^\"]{0,300}/[^\"]{0,300}\"?|\d{1,12})\s*$")
HEADING = re.compile(rb"^ {8}(?:Arguments|Locals):\s*$")
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
        yield replace(piece, content=keep_telling_locals(piece.content))


def keep_telling_locals(dump: bytes) -> bytes:
    """A dump without the locals that name neither a path nor a number, and without headings over nothing."""
    kept: list[bytes] = []
    for line in dump.splitlines(keepends=True):
        if LOCAL.match(line) and not TELLING.match(line):
            continue
        if kept and HEADING.match(kept[-1]) and not LOCAL.match(line):
            kept.pop()
        kept.append(line)
    return b"".join(kept[:-1] if kept and HEADING.match(kept[-1]) else kept)


COLLECTOR = Collector("Python stacks, without pausing anybody", collect)
