"""What a growing log says, without ever waiting for the volume that it lies on.

A log on a local disk is read here. One on a network volume is read by `tail -F` in a child, whose pipe is
polled: when the volume dies the child hangs and the watch does not.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from pathlib import Path

from ..localpath import resolved
from ..mounttable import mount_of

MOST = 1 << 20


class LocalTail:
    """New bytes of a local file; a file that does not exist yet, shrinks or is replaced is followed."""

    def __init__(self, path: str, *, from_start: bool) -> None:
        self.path = Path(path)
        self.offset = 0
        self.inode = 0
        if not from_start:
            with contextlib.suppress(OSError):
                status = self.path.stat()
                self.offset, self.inode = status.st_size, status.st_ino

    def read(self) -> bytes:
        try:
            with open(self.path, "rb") as file:
                status = os.fstat(file.fileno())
                if status.st_ino != self.inode or status.st_size < self.offset:
                    self.offset = 0 if self.inode or not self.offset else self.offset
                    self.inode = status.st_ino
                file.seek(self.offset)
                data = file.read(MOST)
        except OSError:
            return b""
        self.offset += len(data)
        return data

    def close(self) -> None:
        """Nothing is held open between reads."""


class DistantTail:
    """New bytes of a file on a volume that may die."""

    def __init__(self, path: str, *, from_start: bool) -> None:
        self.child = subprocess.Popen(
            ["/bin/sh", "-c", 'exec tail -c "$1" -F -- "$2"', "sh", "+1" if from_start else "0", path],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/",
                start_new_session=True,
        )  # fmt: skip
        assert self.child.stdout
        os.set_blocking(self.child.stdout.fileno(), False)

    def read(self) -> bytes:
        assert self.child.stdout
        with contextlib.suppress(BlockingIOError):
            return os.read(self.child.stdout.fileno(), MOST)
        return b""

    def close(self) -> None:
        """End the child; one that cannot be ended is left behind."""
        self.child.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.child.wait(timeout=0.3)
        if self.child.returncode is None:
            self.child.returncode = -9  # never waited for: it may be in state D
        if self.child.stdout:
            self.child.stdout.close()


Tail = LocalTail | DistantTail


def follow(path: str, *, from_start: bool) -> Tail:
    """Follow a log by an absolute path, the way its filesystem asks for."""
    real = resolved(path)
    distant = real is None or mount_of(real).filesystem.network
    return (DistantTail if distant else LocalTail)(path, from_start=from_start)
