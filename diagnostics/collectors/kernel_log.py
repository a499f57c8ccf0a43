"""dmesg.txt: the kernel's log, or journalctl's copy of it; sysctl.txt: whether it would have spoken at all.

After `hung_task_warnings` reports the detector says nothing more, and with 0 left a clean log proves nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ..question import Question
from ._collector import Collector, Piece, command_piece, question_piece
from ._scope import Scope

SETTINGS = (
    "kernel/hung_task_warnings kernel/hung_task_timeout_secs kernel/dmesg_restrict kernel/yama/ptrace_scope "
    "kernel/panic kernel/softlockup_panic vm/overcommit_memory vm/swappiness fs/file-nr kernel/osrelease"
).split()
JOURNAL = ["journalctl", "-k", "-b", "--no-pager", "-o", "short-iso-precise", "-n", "20000"]


def show_settings(say: Any, names: list[str]) -> None:
    for name in names:
        path = f"/proc/sys/{name}"
        if os.access(path, os.R_OK):
            with open(path) as file:
                say(text=f"{name.replace('/', '.')} = {file.read().strip()}\n")


def collect(scope: Scope) -> Iterator[Piece]:
    piece = command_piece(scope, "dmesg.txt", ["dmesg"])
    if not piece.answered:
        journal = command_piece(scope, "journal_kernel.txt", JOURNAL)
        piece = journal if journal.answered and journal.content else piece
    yield piece
    yield question_piece(scope, "sysctl.txt", Question(show_settings), names=list(SETTINGS))


COLLECTOR = Collector("the kernel's log", collect)
