"""Does the volume list its names?"""

from __future__ import annotations

import os
from typing import Any

from ..question import Question
from ._probe import Probe


def ask_readdir(say: Any, folder: str, stage: str) -> dict[str, float]:
    import itertools

    say(at="readdir")
    with os.scandir(folder) as entries:
        return {"names": sum(1 for _ in itertools.islice(entries, 10_000))}


PROBE = Probe("does readdir answer", Question(ask_readdir), deadline_s=5, order=12, stages=False)
