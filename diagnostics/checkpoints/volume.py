"""Which volume a directory lies on, from the mount table alone, and how much room is left there."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from ..filesystems import identify


@dataclass(frozen=True)
class Volume:
    """`source` is the device or server as the mount table names it: mfs#10.0.0.1:9421, /dev/nvme0n1, ..."""

    mount: str
    type: str
    source: str

    @property
    def is_network(self) -> bool:
        return identify(self.source, self.type).network

    def __str__(self) -> str:
        return f"{self.mount} ({identify(self.source, self.type).title}, {self.source})"


def volume_of(path: Path) -> Volume:
    """The volume that holds `path` (which need not exist); reads /proc/self/mountinfo, never the mount's data."""
    wanted = os.path.realpath(path)
    best = Volume("/", "unknown", "unknown")
    try:
        table = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return best
    for line in table.splitlines():
        front, _, back = line.partition(" - ")
        fields, tail = front.split(), back.split()
        if len(fields) < 5 or len(tail) < 2:
            continue
        mount = _unescaped(fields[4])
        inside = wanted == mount or wanted.startswith(mount.rstrip("/") + "/")
        if inside and len(mount) >= len(best.mount):  # a later mount on the same point covers the earlier
            best = Volume(mount, tail[0], _unescaped(tail[1]))
    return best


def free_bytes(path: Path) -> int:
    """Bytes that this user may still write; raises OSError when the volume does not say."""
    status = os.statvfs(path)
    return status.f_bavail * status.f_frsize


def _unescaped(field: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), field)
