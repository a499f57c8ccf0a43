"""Does a file of each size, up to a checkpoint's, survive being written? One rung a size.

Every step of a careful save is timed and its error named: write, flush, fsync, close, rename, directory
fsync. Then the file is read back past the page cache and compared byte by byte with what was written: a
volume that drops a chunk at close tells no writer. What worked at the last scale says nothing of this one.
"""

from __future__ import annotations

import os
from typing import Any

from ..question import Question
from ._child import content, open_uncached
from ._probe import MIB, Plan, Probe, Rung


def write_and_compare(say: Any, path: str, size: int, seconds: float) -> dict[str, float]:
    """Save as a careful writer does, read back, and return the seconds of each step and what differs.

    When the seconds are over in mid-write the file ends there, and when as many again are over the comparison
    does: slow is not silent.
    """
    import time

    took: dict[str, float] = {}
    begin = time.perf_counter()

    def step(name: str, act: Any) -> Any:
        say(at=name, size_bytes=size)
        start = time.perf_counter()
        result = act()
        took[name.replace(" ", "_") + "_s"] = time.perf_counter() - start
        return result

    file = step("open", lambda: open(path + ".part", "xb"))  # noqa: SIM115  (its close is a step of its own)
    written = 0
    for offset, block in content(size, size):
        if offset and time.perf_counter() - begin > seconds:
            break
        if offset % (8 << 20) == 0:
            say(at="write", size_bytes=size, done_bytes=offset)
        start = time.perf_counter()
        file.write(block)
        took["write_s"] = took.get("write_s", 0.0) + time.perf_counter() - start
        written += len(block)
    step("flush", file.flush)
    step("fsync", lambda: os.fsync(file.fileno()))
    step("close", file.close)
    step("rename", lambda: os.replace(path + ".part", path))
    directory = os.open(os.path.dirname(path), os.O_RDONLY)
    step("directory fsync", lambda: os.fsync(directory))
    os.close(directory)
    compared = step("read back", lambda: compare(path, size, written, begin + 2 * seconds))
    seconds = sum(took[f"{name}_s"] for name in ("write", "flush", "fsync", "close"))
    return {"size_bytes": written, "bytes_per_s": written / seconds, **took, **compared}


def compare(path: str, nonce: int, size: int, until: float) -> dict[str, float]:
    """Read a file past the page cache: how many bytes are in pages that differ, and where the first one is."""
    import time

    bad, first, back = 0, -1, bytearray(1 << 20)
    with open(open_uncached(path), "rb") as source:
        os.posix_fadvise(source.fileno(), 0, 0, os.POSIX_FADV_SEQUENTIAL)
        length = os.fstat(source.fileno()).st_size
        for offset, block in content(nonce, size):
            if offset and time.perf_counter() > until:
                size = offset
                break
            if len(back) != len(block):
                back = bytearray(len(block))
            got = source.readinto(back)
            if got == len(block) and back == block:
                continue
            for page in range(0, len(block), 4096):
                if back[page : min(page + 4096, got)] != block[page : page + 4096]:
                    bad += min(4096, len(block) - page)
                    first = offset + page if first < 0 else first
    return {"different_bytes": bad, "first_difference": first, "compared_bytes": size, "length_bytes": length}


def ask_write_file(say: Any, folder: str, stage: str, size: int, seconds: float) -> dict[str, float]:
    path = os.path.join(stage, f"written-{size}")
    values = write_and_compare(say, path, size, 0.7 * seconds)
    os.unlink(path)
    return values


def rungs(plan: Plan) -> list[Rung]:
    sizes = {min(plan.size, MIB * 8**power) for power in range(12)}
    return [{"size": size, "written": size} for size in sorted(sizes)]


PROBE = Probe(
    "does a file survive being written",
    Question(ask_write_file, uses=(content, open_uncached, compare, write_and_compare)),
    deadline_s=60,
    order=30,
    rungs=rungs,
    paced=True,
)
