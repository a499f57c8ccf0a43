"""limits.txt: /proc/PID/limits of the processes in scope, and how many files each has open."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ..question import Question
from ._collector import Collector, Piece, question_piece
from ._scope import Scope

MOST = 16


def show_limits(say: Any, pids: list[int]) -> None:
    for pid in pids:
        try:
            with open(f"/proc/{pid}/limits") as file:
                text = f"== pid {pid}\n{file.read()}"
            text += f"pid {pid} open files: {len(os.listdir(f'/proc/{pid}/fd'))}\n"
        except OSError:
            continue
        say(text=text)


LIMITS = Question(show_limits)


def collect(scope: Scope) -> Iterator[Piece]:
    yield question_piece(scope, "limits.txt", LIMITS, pids=scope.seen[:MOST])


COLLECTOR = Collector("resource limits", collect)
