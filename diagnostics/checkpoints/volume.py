"""Which volume a directory lies on, from the mount table alone, and how much room is left there."""

from __future__ import annotations

import os
from pathlib import Path

from ..mounttable import mount_of


def is_on_network(path: Path) -> bool:
    """Whether a server stands behind `path`, so that a write may still be lost when it is closed."""
    return mount_of(os.path.realpath(path)).filesystem.network


def free_bytes(path: Path) -> int:
    """Bytes that this user may still write; raises OSError when the volume does not say."""
    status = os.statvfs(path)
    return status.f_bavail * status.f_frsize
