"""Faults of the machine itself: `small_disk` (a loop ext4), `memory_cgroup`, `tiny_shm`."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.faults import place

MIB = 1 << 20


class SmallDisk:
    """An ext4 of `size` bytes on a loop device, at `mount`."""

    def __init__(self, folder: Path, size: int = 64 * MIB) -> None:
        self.mount, self.image, self.size = folder / "mnt", folder / "image", size

    def start(self) -> None:
        self.mount.mkdir()
        with open(self.image, "wb") as image:
            image.truncate(self.size)
        subprocess.run(["mkfs.ext4", "-q", "-m", "0", str(self.image)], check=True, capture_output=True)
        subprocess.run(["mount", "-o", "loop", str(self.image), str(self.mount)], check=True, capture_output=True)

    def free(self) -> int:
        """Bytes that anybody can still write."""
        status = os.statvfs(self.mount)
        return status.f_bavail * status.f_frsize

    def fill(self, leave: int = 0) -> None:
        """Write a file until only `leave` bytes are free."""
        with open(self.mount / "ballast", "wb") as ballast:
            os.posix_fallocate(ballast.fileno(), 0, max(1, self.free() - leave))

    def stop(self) -> None:
        place.unmount(self.mount)


class MemoryCgroup:
    """A memory cgroup, of version 1 or 2, with a limit in bytes; `prefix` starts a command inside it."""

    def __init__(self, name: str, limit: int) -> None:
        unified = Path("/sys/fs/cgroup/cgroup.controllers").exists()
        self.folder = Path("/sys/fs/cgroup" if unified else "/sys/fs/cgroup/memory") / name
        self.limit, self.limit_file = limit, "memory.max" if unified else "memory.limit_in_bytes"

    def start(self) -> None:
        self.folder.mkdir()
        (self.folder / self.limit_file).write_text(str(self.limit))

    @property
    def prefix(self) -> list[str]:
        return ["sh", "-c", f'echo $$ > {self.folder}/cgroup.procs && exec "$@"', "sh"]

    def stop(self) -> None:
        for pid in (self.folder / "cgroup.procs").read_text().split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        place.wait_for(lambda: not (self.folder / "cgroup.procs").read_text(), "the cgroup to empty")
        self.folder.rmdir()


@pytest.fixture
def small_disk() -> Iterator[SmallDisk]:
    place.require("mkfs.ext4", "mount", root=True)
    with place.scratch("disk") as folder:
        disk = SmallDisk(folder)
        try:
            disk.start()
            yield disk
        finally:
            disk.stop()


@pytest.fixture
def memory_cgroup() -> Iterator[MemoryCgroup]:
    place.require(root=True)
    group = MemoryCgroup(f"diagnostics-{os.getpid()}", 64 * MIB)
    try:
        group.start()
    except OSError as error:
        pytest.skip(f"needs a writable memory cgroup: {error}")
    try:
        yield group
    finally:
        group.stop()


@pytest.fixture
def tiny_shm() -> Callable[[int], list[str]]:
    """tiny_shm(size) is the prefix that runs a command where /dev/shm has that many bytes."""
    place.require("unshare", "mount", root=True)

    def prefix(size: int) -> list[str]:
        script = f'mount -t tmpfs -o size={size} shm /dev/shm && exec "$@"'
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh"]

    return prefix
