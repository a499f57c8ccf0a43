"""A FUSE volume in memory whose folder DISK holds only what was synced: python powerloss_daemon.py DISK MOUNT.

The strictest reading of POSIX: a file's bytes reach the disk at fsync of that file, a name (made, renamed or
removed) at fsync of its directory. A name whose file was never synced is an empty file there. Real
filesystems often keep more, never less, so what survives here survives anywhere. Each fsync is carried over
to DISK before it returns; a kill of this process is the power loss.
"""

# ruff: noqa: PTH100, PTH101, PTH102, PTH104, PTH118, PTH208
from __future__ import annotations

import errno
import itertools
import os
import shutil
import stat
import sys
import threading
import time
from typing import Any

os.environ.setdefault("FUSE_LIBRARY_PATH", "libfuse3.so.3")
import mfusepy as fuse

DISK, MOUNT = (os.path.abspath(argument) for argument in sys.argv[1:3])


class Node:
    """A file or directory: what programs see (`data`, `names`) and what of its bytes is on the disk (`synced`)."""

    numbers = itertools.count(1)

    def __init__(self, mode: int) -> None:
        self.mode = mode
        self.number = next(self.numbers)
        self.uid, self.gid = os.getuid(), os.getgid()
        self.times = [time.time_ns()] * 2
        self.data = bytearray()
        self.synced = b""
        self.names: dict[str, Node] = {}
        self.durable_names: dict[str, Node] = {}

    @property
    def is_directory(self) -> bool:
        return stat.S_ISDIR(self.mode)


class PowerLossFS(fuse.Operations):  # type: ignore[misc]
    use_ns = True

    def __init__(self) -> None:
        self.root = self._load(DISK)
        self.open_files: dict[int, Node] = {}
        self.handles = itertools.count(1)
        self.lock = threading.Lock()

    def _load(self, path: str) -> Node:
        """What an earlier life of this volume left on the disk."""
        status = os.lstat(path)
        node = Node(status.st_mode)
        node.times = [status.st_atime_ns, status.st_mtime_ns]
        if node.is_directory:
            node.names = {name: self._load(os.path.join(path, name)) for name in os.listdir(path)}
            node.durable_names = dict(node.names)
        else:
            with open(path, "rb") as file:
                node.synced = file.read()
            node.data = bytearray(node.synced)
        return node

    def _node(self, path: str) -> Node:
        node = self.root
        for name in filter(None, path.split("/")):
            if name not in node.names:
                raise fuse.FuseOSError(errno.ENOENT)
            node = node.names[name]
        return node

    def _place(self, path: str) -> tuple[Node, str]:
        folder, _, name = path.rpartition("/")
        return self._node(folder), name

    def _to_disk(self) -> None:
        """Make DISK what a machine would find after losing its power now."""
        fresh = f"{DISK}.new"
        shutil.rmtree(fresh, ignore_errors=True)
        self._write_out(self.root, fresh)
        shutil.rmtree(f"{DISK}.old", ignore_errors=True)
        os.rename(DISK, f"{DISK}.old")
        os.rename(fresh, DISK)

    def _write_out(self, node: Node, path: str) -> None:
        if node.is_directory:
            os.mkdir(path)
            for name, child in node.durable_names.items():
                self._write_out(child, os.path.join(path, name))
        else:
            with open(path, "wb") as file:
                file.write(node.synced)
        os.chmod(path, stat.S_IMODE(node.mode))
        os.utime(path, ns=(node.times[0], node.times[1]))

    # -- what the kernel asks ------------------------------------------------------------------

    def getattr(self, path: str, fh: int | None = None) -> dict[str, Any]:
        node = self.open_files[fh] if fh in self.open_files else self._node(path)
        return {
            "st_mode": node.mode, "st_nlink": 2 if node.is_directory else 1, "st_size": len(node.data), "st_ino": node.number,
            "st_uid": node.uid, "st_gid": node.gid, "st_blocks": len(node.data) // 512 + 1,
            "st_atime": node.times[0], "st_mtime": node.times[1], "st_ctime": node.times[1],
        }  # fmt: skip

    def readdir(self, path: str, fh: int) -> list[str]:
        return [".", "..", *self._node(path).names]

    def create(self, path: str, mode: int, fi: Any = None) -> int:
        folder, name = self._place(path)
        folder.names[name] = Node(stat.S_IFREG | mode)
        return self.open(path, 0)

    def open(self, path: str, flags: int) -> int:
        handle = next(self.handles)
        self.open_files[handle] = self._node(path)
        return handle

    def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
        return bytes(self.open_files[fh].data[offset : offset + size])

    def write(self, path: str, data: Any, offset: int, fh: int) -> int:
        node = self.open_files[fh]
        node.data.extend(bytes(max(0, offset - len(node.data))))
        node.data[offset : offset + len(data)] = data
        node.times[1] = time.time_ns()
        return len(data)

    def truncate(self, path: str, length: int, fh: int | None = None) -> int:
        node = self._node(path)
        node.data = node.data[:length] + bytes(max(0, length - len(node.data)))
        return 0

    def flush(self, path: str, fh: int) -> int:
        return 0

    def release(self, path: str, fh: int) -> int:
        self.open_files.pop(fh, None)
        return 0

    def fsync(self, path: str, datasync: int, fh: int) -> int:
        with self.lock:
            node = self.open_files[fh]
            node.synced = bytes(node.data)
            self._to_disk()
        return 0

    def fsyncdir(self, path: str, datasync: int, fh: int) -> int:
        with self.lock:
            node = self._node(path)
            node.durable_names = dict(node.names)
            self._to_disk()
        return 0

    def mkdir(self, path: str, mode: int) -> int:
        folder, name = self._place(path)
        folder.names[name] = Node(stat.S_IFDIR | mode)
        return 0

    def rename(self, old: str, new: str, flags: int = 0) -> int:
        (source, name), (target, new_name) = self._place(old), self._place(new)
        if name not in source.names:
            raise fuse.FuseOSError(errno.ENOENT)
        if new_name in target.names and target.names[new_name].names:
            raise fuse.FuseOSError(errno.ENOTEMPTY)
        target.names[new_name] = source.names.pop(name)
        return 0

    def unlink(self, path: str) -> int:
        folder, name = self._place(path)
        if folder.names.pop(name, None) is None:
            raise fuse.FuseOSError(errno.ENOENT)
        return 0

    def rmdir(self, path: str) -> int:
        folder, name = self._place(path)
        if folder.names[name].names:
            raise fuse.FuseOSError(errno.ENOTEMPTY)
        del folder.names[name]
        return 0

    def chmod(self, path: str, mode: int) -> int:
        self._node(path).mode = mode
        return 0

    def chown(self, path: str, uid: int, gid: int) -> int:
        node = self._node(path)
        node.uid, node.gid = uid, gid
        return 0

    def utimens(self, path: str, times: tuple[int, int] | None = None) -> int:
        self._node(path).times = list(times) if times else [time.time_ns()] * 2
        return 0

    def statfs(self, path: str) -> dict[str, int]:
        return {
            "f_bsize": 4096,
            "f_frsize": 4096,
            "f_blocks": 1 << 20,
            "f_bfree": 1 << 19,
            "f_bavail": 1 << 19,
            "f_namemax": 255,
        }


if __name__ == "__main__":
    fuse.FUSE(
        PowerLossFS(), MOUNT, foreground=True, nothreads=True, fsname="powerloss", subtype="powerloss",
        attr_timeout=0, entry_timeout=0,
    )  # fmt: skip
