"""Do locks work, and exclude? Compile caches and hubs take them; some volumes refuse, some never answer."""

from __future__ import annotations

import os
from typing import Any

from ..question import Question
from ._probe import Probe


def ask_flock(say: Any, folder: str, stage: str) -> dict[str, float]:
    import fcntl

    path = os.path.join(stage, "lock")
    first, second = (os.open(path, os.O_RDWR | os.O_CREAT, 0o600) for _ in range(2))
    say(at="flock")
    fcntl.flock(first, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
        excludes = 0.0
    except BlockingIOError:
        excludes = 1.0
    os.close(first)
    os.close(second)
    os.unlink(path)
    return {"excludes": excludes}


PROBE = Probe("do locks exclude", Question(ask_flock), deadline_s=5, order=42)
