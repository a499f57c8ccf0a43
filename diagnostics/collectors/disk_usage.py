"""df.txt and df_inodes.txt, each mount asked in a child of its own: one dead volume hides no other.

    Filesystem     1K-blocks     Used Available Use% Mounted on
    /dev/loop0        352112   352112         0 100% /workspace/ckpt

df itself waits for the first dead mount for ever. A volume that answers with 0 blocks is kept: MooseFS does
so when its chunkservers are gone. One that does not answer is named in the reason.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..evidence.probe import Outcome
from ..filesystems import KERNEL
from ..mounttable import MountPoint
from ..question import Answer, Question
from ._collector import Collector, Piece, State
from ._scope import Scope

ONE_S = 4.0
MOST_MOUNTS = 64


def ask_space(say: Any, path: str) -> dict[str, int]:
    status = os.statvfs(path)
    unit = status.f_frsize
    return {
        "size": status.f_blocks * unit // 1024,
        "used": (status.f_blocks - status.f_bfree) * unit // 1024,
        "available": status.f_bavail * unit // 1024,
        "inodes": status.f_files,
        "inodes_used": status.f_files - status.f_ffree,
        "inodes_free": status.f_favail,
    }


SPACE = Question(ask_space)
BLOCKS = ("df.txt", "1K-blocks", ("size", "used", "available"))
INODES = ("df_inodes.txt", "Inodes", ("inodes", "inodes_used", "inodes_free"))


def collect(scope: Scope) -> Iterator[Piece]:
    points = [point for point in scope.mounts if point.filesystem is not KERNEL and point.type != "nsfs"][:MOST_MOUNTS]
    with ThreadPoolExecutor(8) as pool:  # safe to wait for: an answer never takes longer than its deadline
        answers = list(pool.map(lambda point: _ask(scope, point), points))
    rows = list(zip(points, answers, strict=True))
    silent = [point.mount for point, answer in rows if answer.outcome is Outcome.SILENT]
    refused = [f"{point.mount}: {answer.error}" for point, answer in rows if answer.outcome is Outcome.REFUSED]
    reason = "; ".join([*(f"{mount} gave no answer in {ONE_S:g} s" for mount in silent), *refused])
    for file, unit, names in (BLOCKS, INODES):
        state = State.SILENT if silent else State.READ
        yield Piece(file, _table(rows, unit, names).encode(errors="surrogateescape"), state, reason)


def _ask(scope: Scope, point: MountPoint) -> Answer:
    return SPACE.ask(point.mount, ONE_S, cancel=scope.cancel, path=point.mount)


def _table(rows: list[tuple[MountPoint, Answer]], unit: str, names: tuple[str, str, str]) -> str:
    heads = ("Used", "Available", "Use%") if unit != "Inodes" else ("IUsed", "IFree", "IUse%")
    lines = [f"{'Filesystem':20} {unit:>12} {heads[0]:>12} {heads[1]:>12} {heads[2]:>5} Mounted on"]
    for point, answer in rows:
        if answer.outcome is Outcome.ANSWERED:
            size, used, free = (answer.values[name] for name in names)
            share = f"{-(-100 * used // (used + free))}%" if used + free > 0 else "-"
            lines.append(f"{point.source:20} {size:>12} {used:>12} {free:>12} {share:>5} {point.mount}")
        elif answer.outcome is Outcome.REFUSED:
            lines.append(f"df: {point.mount}: {answer.text.rpartition('] ')[2].partition(': ')[0]}")
    return "\n".join(lines) + "\n"


COLLECTOR = Collector("free space and inodes", collect)
