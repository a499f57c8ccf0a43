"""Small functions that several questions carry into their child; each is self-contained."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..durable import write_all

BLOCK = 1 << 20


def spread(latencies: list[float]) -> dict[str, float]:
    """The distribution of a list of times: median, 99th percentile, worst."""
    ordered = sorted(latencies)
    if not ordered:
        return {}
    last = len(ordered) - 1
    return {"p50_s": ordered[last // 2], "p99_s": ordered[int(last * 0.99)], "max_s": ordered[-1]}


def content(nonce: int, size: int) -> Iterator[tuple[int, bytearray]]:
    """A file's blocks of up to 1 MiB, no two alike, made again at will: (offset, bytes).

    The whole blocks share one buffer, so that making them costs next to nothing beside writing them.
    """
    import random

    buffer = bytearray(random.Random(nonce).randbytes(1 << 20))
    for offset in range(0, size, 1 << 20):
        buffer[:16] = nonce.to_bytes(8, "big") + offset.to_bytes(8, "big")
        yield offset, buffer if size - offset >= 1 << 20 else buffer[: size - offset]


def open_uncached(path: str) -> int:
    """Open for reading with the file's pages dropped from the page cache.

    Not O_DIRECT: a direct read of a dead volume cannot be killed, a buffered one can.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
    return descriptor


def find_files(folder: str, most: int = 8, least: int = 4096, seconds: float = 2.0) -> list[tuple[str, int]]:
    """Some existing regular files, largest first, as (path, size); looks at 2000 names on this filesystem."""
    import itertools
    import stat
    import time

    end, seen, found, todo = time.monotonic() + seconds, 0, [], [folder]
    device = os.stat(folder).st_dev
    while todo and seen < 2000 and time.monotonic() < end:
        try:
            entries = list(itertools.islice(os.scandir(todo.pop(0)), 500))
        except OSError:
            continue
        for entry in entries:
            seen += 1
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if stat.S_ISDIR(status.st_mode) and status.st_dev == device:
                todo.append(entry.path)
            elif stat.S_ISREG(status.st_mode) and status.st_size >= least and os.access(entry.path, os.R_OK):
                found.append((entry.path, status.st_size))
    return sorted(found, key=lambda pair: -pair[1])[:most]


def stage_file(stage: str, size: int) -> tuple[str, int]:
    """A file of our own to read, where the volume holds none."""
    path = os.path.join(stage, "to-read")
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        for _, block in content(1, size):
            write_all(descriptor, block)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return path, size
