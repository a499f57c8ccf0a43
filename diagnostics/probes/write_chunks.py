"""Does a checkpoint's size survive when it is written as four files, where one long file may not?

A MooseFS volume once kept three of four 3 GB chunks and lost one at close, whose error nobody saw.
"""

from __future__ import annotations

import os
from typing import Any

from ..question import Question
from ._child import content, open_uncached
from ._probe import Plan, Probe, Rung
from .write_file import compare, write_and_compare


def ask_write_chunks(say: Any, folder: str, stage: str, size: int, seconds: float) -> dict[str, float]:
    share = size // 4
    parts = []
    for number in range(4):
        path = os.path.join(stage, f"chunk-{number}")
        parts.append(write_and_compare(say, path, share, 0.7 * seconds / 4))
        os.unlink(path)
    written = sum(part["size_bytes"] for part in parts)
    took = sum(part["write_s"] + part["flush_s"] + part["fsync_s"] + part["close_s"] for part in parts)
    return {
        "size_bytes": written,
        "bytes_per_s": written / took,
        "bad_chunks": sum(1 for part in parts if part["different_bytes"]),
        "different_bytes": sum(part["different_bytes"] for part in parts),
    }


def rungs(plan: Plan) -> list[Rung]:
    return [{"size": plan.size, "written": plan.size}]


PROBE = Probe(
    "do four files survive being written",
    Question(ask_write_chunks, uses=(content, open_uncached, compare, write_and_compare)),
    deadline_s=60,
    order=31,
    rungs=rungs,
    paced=True,
)
