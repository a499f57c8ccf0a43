"""Does the volume answer `statfs` (df), and how much is free? A MooseFS without its servers says 0 blocks."""

from __future__ import annotations

import os
from typing import Any

from ..question import Question
from ._probe import Probe


def ask_statfs(say: Any, folder: str, stage: str) -> dict[str, float]:
    say(at="statfs")
    status = os.statvfs(folder)
    return {
        "size_bytes": status.f_blocks * status.f_frsize,
        "free_bytes": status.f_bavail * status.f_frsize,
        "free_inodes": status.f_favail,
        "inodes": status.f_files,
        "read_only": float(bool(status.f_flag & os.ST_RDONLY)),
    }


PROBE = Probe("does statfs answer", Question(ask_statfs), deadline_s=5, order=11, stages=False)
