"""Does the volume return the modification time of a new file? 0 means "unknown", and pruning by age must know."""

from __future__ import annotations

import os
from typing import Any

from ..question import Question
from ._probe import Probe


def ask_mtime(say: Any, folder: str, stage: str) -> dict[str, float]:
    import time

    path = os.path.join(stage, "dated")
    say(at="create")
    with open(path, "xb") as file:
        file.write(b"x")
    say(at="stat")
    modified = os.stat(path).st_mtime
    os.unlink(path)
    return {"modified_s": modified, "skew_s": modified - time.time(), "zero": float(modified == 0)}


PROBE = Probe("is a modification time returned", Question(ask_mtime), deadline_s=5, order=40)
