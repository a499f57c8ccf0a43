"""Does the volume answer `stat`? On MooseFS it does while data hang; on sshfs and NFS it hangs with them."""

from __future__ import annotations

import os
from typing import Any

from ..question import Question
from ._probe import Probe


def ask_stat(say: Any, folder: str, stage: str) -> dict[str, float]:
    say(at="stat")
    status = os.stat(folder)
    return {"modified_s": status.st_mtime}


PROBE = Probe("does stat answer", Question(ask_stat), deadline_s=5, order=10, stages=False)
