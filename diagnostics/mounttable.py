"""What is mounted where, read from the kernel's table alone: no path named in it is ever touched.

36 35 0:45 / /workspace rw,nosuid,relatime shared:1 - fuse mfs#10.0.0.1:9421 rw,user_id=0,group_id=0
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .errors import UsageError
from .filesystems import Filesystem, identify

TABLE = "/proc/self/mountinfo"
_ESCAPE = re.compile(r"\\([0-7]{3})|\\x([0-9a-f]{2})")


@dataclass(frozen=True, slots=True)
class MountPoint:
    """A row of the table. `device` is "major:minor"; a FUSE connection's number is its minor part."""

    mount: str
    source: str
    type: str
    options: tuple[str, ...]
    device: str

    @property
    def filesystem(self) -> Filesystem:
        return identify(self.source, self.type)

    @property
    def server(self) -> str | None:
        return self.filesystem.server(self.source)


def read_mount_table(text: str | None = None) -> list[MountPoint]:
    """Every mount, in the kernel's order; of several on one point the last hides the others."""
    if text is None:
        with open(TABLE, encoding="utf-8", errors="surrogateescape") as table:
            text = table.read()
    return [row for line in text.splitlines() if (row := _row(line))]


def _row(line: str) -> MountPoint | None:
    before, separator, after = line.partition(" - ")
    left, right = before.split(" "), after.split(" ")
    if not separator or len(left) < 6 or len(right) < 3:
        return None
    return MountPoint(
        mount=unescape(left[4]),
        source=unescape(right[1]),
        type=right[0],
        options=tuple(dict.fromkeys([*left[5].split(","), *right[2].split(",")])),
        device=left[2],
    )


def unescape(word: str) -> str:
    r"""A name out of a table of mounts: `/data\040set` (the kernel) and `/data\x20set` (findmnt) are "/data set"."""
    return _ESCAPE.sub(lambda code: chr(int(code[1], 8) if code[1] else int(code[2], 16)), word)


def mount_of(path: str, table: list[MountPoint] | None = None) -> MountPoint:
    """The mount that an absolute path lies on, by its text: a symbolic link in it is not followed."""
    clean = posixpath.normpath(path)
    if not clean.startswith("/"):
        raise UsageError(f"{path!r} is not an absolute path", "name the mount as `mount` shows it")
    rows = {row.mount: row for row in (read_mount_table() if table is None else table)}
    found = innermost(clean, rows)
    return rows[found] if found else MountPoint("/", "", "", (), "0:0")


def innermost(path: str, folders: Iterable[str]) -> str | None:
    """The longest of the folders in which a path lies, by its text; None when it lies in none."""
    return max((folder for folder in folders if is_below(path, folder)), key=len, default=None)


def is_below(path: str, folder: str) -> bool:
    """True when a path is the folder or lies in it, by its text."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def absolute(path: str) -> str:
    """The path as text from the root, without asking the filesystem (the working folder may be a dead one)."""
    if path.startswith("/"):
        return posixpath.normpath(path)
    return posixpath.normpath(posixpath.join(Path("/proc/self/cwd").readlink(), path))
