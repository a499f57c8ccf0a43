"""A FUSE passthrough whose faults are switched on by a JSON file: python faultfs_daemon.py BACKING MOUNT CONTROL.

The control file is read again before every operation and is replaced atomically by the test. Its keys:

    hang, eio, enospc   lists of operations: getattr readdir open create read write flush fsync statfs
                        unlink rename mkdir
    only                faults touch only paths that contain this text
    drop_after          bytes of a file from this offset on are acknowledged and thrown away
    flip_at             the byte at this offset is written inverted
    short_write         half of every write is accepted
    mtime_zero          every modification time is returned as 0
    slow_s              seconds that every read and write takes
    bytes_per_s         a rate that reads and writes are held to
"""

# ruff: noqa: PTH100, PTH101, PTH102, PTH104, PTH106, PTH108, PTH115, PTH208, PTH211
from __future__ import annotations

import errno
import json
import os
import sys
import time
from typing import Any

os.environ.setdefault("FUSE_LIBRARY_PATH", "libfuse3.so.3")
import mfusepy as fuse

BACKING, MOUNT, CONTROL = (os.path.abspath(argument) for argument in sys.argv[1:4])
STAT_FIELDS = ("st_mode", "st_nlink", "st_size", "st_uid", "st_gid", "st_ino", "st_blocks")
POLL_S = 0.02


def faults(path: str) -> dict[str, Any]:
    try:
        with open(CONTROL, encoding="utf-8") as control:
            current: dict[str, Any] = json.load(control)
    except (OSError, ValueError):
        return {}
    return current if current.get("only", "") in path else {}


def meet(operation: str, path: str) -> dict[str, Any]:
    """Hang or fail as told; else return the faults that the operation has to apply itself."""
    while operation in (current := faults(path)).get("hang", ()):
        time.sleep(POLL_S)
    for name in ("eio", "enospc"):
        if operation in current.get(name, ()):
            raise fuse.FuseOSError(getattr(errno, name.upper()))
    return current


def take_time(current: dict[str, Any], size: int) -> None:
    delay = current.get("slow_s", 0) + (size / current["bytes_per_s"] if current.get("bytes_per_s") else 0)
    if delay:
        time.sleep(delay)


class FaultFS(fuse.Operations):  # type: ignore[misc]
    use_ns = True

    def getattr(self, path: str, fh: int | None = None) -> dict[str, Any]:
        current = meet("getattr", path)
        status = os.lstat(BACKING + path)
        found: dict[str, Any] = {name: getattr(status, name) for name in STAT_FIELDS}
        found["st_atime"], found["st_ctime"] = status.st_atime_ns, status.st_ctime_ns
        found["st_mtime"] = 0 if current.get("mtime_zero") else status.st_mtime_ns
        return found

    def readdir(self, path: str, fh: int) -> list[str]:
        meet("readdir", path)
        return [".", "..", *os.listdir(BACKING + path)]

    def open(self, path: str, flags: int) -> int:
        meet("open", path)
        return os.open(BACKING + path, flags & ~os.O_DIRECT)

    def create(self, path: str, mode: int, fi: Any = None) -> int:
        meet("create", path)
        return os.open(BACKING + path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, mode)

    def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
        take_time(meet("read", path), size)
        return os.pread(fh, size, offset)

    def write(self, path: str, data: Any, offset: int, fh: int) -> int:
        current = meet("write", path)
        take_time(current, len(data))
        content, accepted = bytearray(data), len(data)
        if current.get("short_write"):
            accepted = max(1, accepted // 2)
            content = content[:accepted]
        flip_at = current.get("flip_at")
        if flip_at is not None and offset <= flip_at < offset + len(content):
            content[flip_at - offset] ^= 0xFF
        if (drop_after := current.get("drop_after")) is not None:
            content = content[: max(0, drop_after - offset)]
        if content:
            os.pwrite(fh, content, offset)
        return accepted

    def flush(self, path: str, fh: int) -> int:
        meet("flush", path)
        return 0

    def fsync(self, path: str, datasync: int, fh: int) -> int:
        meet("fsync", path)
        os.fsync(fh)
        return 0

    def release(self, path: str, fh: int) -> int:
        os.close(fh)
        return 0

    def truncate(self, path: str, length: int, fh: int | None = None) -> int:
        os.truncate(BACKING + path, length)
        return 0

    def unlink(self, path: str) -> int:
        meet("unlink", path)
        os.unlink(BACKING + path)
        return 0

    def rename(self, old: str, new: str, flags: int = 0) -> int:
        meet("rename", old)
        os.rename(BACKING + old, BACKING + new)
        return 0

    def mkdir(self, path: str, mode: int) -> int:
        meet("mkdir", path)
        os.mkdir(BACKING + path, mode)
        return 0

    def rmdir(self, path: str) -> int:
        os.rmdir(BACKING + path)
        return 0

    def chmod(self, path: str, mode: int) -> int:
        os.chmod(BACKING + path, mode)
        return 0

    def chown(self, path: str, uid: int, gid: int) -> int:
        os.chown(BACKING + path, uid, gid)
        return 0

    def utimens(self, path: str, times: tuple[int, int] | None = None) -> int:
        os.utime(BACKING + path, ns=times)  # type: ignore[arg-type]
        return 0

    def link(self, target: str, source: str) -> int:
        os.link(BACKING + source, BACKING + target)
        return 0

    def symlink(self, target: str, source: str) -> int:
        os.symlink(source, BACKING + target)
        return 0

    def readlink(self, path: str) -> str:
        return os.readlink(BACKING + path)

    def statfs(self, path: str) -> dict[str, int]:
        meet("statfs", path)
        status = os.statvfs(BACKING + path)
        return {name: getattr(status, name) for name in dir(status) if name.startswith("f_") and name != "f_fsid"}


def main() -> None:
    fuse.FUSE(
        FaultFS(), MOUNT, foreground=True, nothreads=False, fsname="faultfs", subtype="faultfs",
        attr_timeout=0, entry_timeout=0, max_threads=64,
    )  # fmt: skip


if __name__ == "__main__":
    main()
