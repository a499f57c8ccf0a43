"""Does a reader see the old file or the new one, and nothing between, while one replaces the other?"""

from __future__ import annotations

import os
from typing import Any

from ..question import Question
from ._probe import Probe


def ask_rename_atomic(say: Any, folder: str, stage: str, seconds: float) -> dict[str, float]:
    import threading
    import time

    path = os.path.join(stage, "published")
    done = threading.Event()
    seen = {"reads": 0, "missing": 0, "torn": 0}

    def look() -> None:
        while not done.is_set():
            try:
                with open(path, "rb") as file:
                    text = file.read()
            except FileNotFoundError:
                seen["missing"] += 1
            else:
                seen["torn"] += len(text) != 4096 or len(set(text)) != 1
            seen["reads"] += 1

    def publish(number: int) -> None:
        with open(path + ".part", "wb") as file:
            file.write(bytes([number % 256]) * 4096)
        # audit: allow[rename-without-fsync, no-directory-fsync] because the question is about the rename alone
        os.replace(path + ".part", path)

    say(at="rename")
    renames, begin = 0, time.perf_counter()
    publish(0)
    reader = threading.Thread(target=look)
    reader.start()
    try:
        for number in range(50):
            publish(number)
            renames += 1
            if time.perf_counter() - begin > seconds:
                break
    finally:
        done.set()
        reader.join()
    os.unlink(path)
    return {"renames": renames, **seen}


PROBE = Probe("is a rename atomic for a reader", Question(ask_rename_atomic), deadline_s=15, order=41, paced=True)
