"""environment.txt: the settings that steer a training run, of the processes in scope; nothing else of theirs.

Only variables whose names begin as below are taken, and secrets among them are masked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..question import Question
from ._collector import Collector, Piece, question_piece
from ._scope import Scope

PREFIXES = (
    "NCCL_ GLOO_ TORCH_ PYTORCH_ CUDA_ NVIDIA_ OMP_ MKL_ RANK WORLD_SIZE LOCAL_ MASTER_ GROUP_ SLURM_ HF_HOME HF_HUB_ "
    "TRANSFORMERS_ DEEPSPEED_ ACCELERATE_ TRITON_ XLA_ JAX_ TMPDIR RUNPOD_ KUBERNETES_ UCX_ FI_ MALLOC_ LD_PRELOAD"
).split()
MOST = 16


def show_settings(say: Any, pids: list[int], prefixes: list[str]) -> dict[str, str]:
    denied = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/environ", errors="surrogateescape") as file:
                rows = file.read().split("\0")
        except OSError as error:
            denied += isinstance(error, PermissionError)
            continue
        kept = sorted(row.replace("\n", " ") for row in rows if row.startswith(tuple(prefixes)))
        if kept:
            say(text="\n".join([f"== pid {pid}", *kept]) + "\n")
    return {"reason": f"not allowed to read those of {denied} processes" if denied else ""}


SETTINGS = Question(show_settings)


def collect(scope: Scope) -> Iterator[Piece]:
    piece = question_piece(scope, "environment.txt", SETTINGS, pids=scope.seen[:MOST], prefixes=PREFIXES)
    if piece.content or piece.reason:
        yield piece


COLLECTOR = Collector("settings in the environment", collect)
