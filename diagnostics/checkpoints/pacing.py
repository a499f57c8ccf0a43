"""How fast a copy may go, and when it must wait: the next save comes first."""

from __future__ import annotations

import os
import time
from pathlib import Path

from ..durable import liveness, staged_for

LOOK_EVERY_S = 0.25
LONGEST_WAIT_S = 600.0  # a save that takes longer than this is stuck, and the copy may be what rescues the run


class Pace:
    """Called after every chunk: sleeps to hold `bytes_per_s`, and while a save into `directory` is under way."""

    def __init__(self, directory: Path | None = None, bytes_per_s: float | None = None) -> None:
        self.directory = directory
        self.bytes_per_s = bytes_per_s
        self.waited_s = 0.0
        self._start = time.monotonic()
        self._bytes = 0
        self._next_look = self._start

    def __call__(self, count: int) -> None:
        self._bytes += count
        now = time.monotonic()
        if self.directory and now >= self._next_look:
            self._make_way(self.directory)
            self._next_look = time.monotonic() + LOOK_EVERY_S
        if self.bytes_per_s:
            ahead = self._bytes / self.bytes_per_s - (time.monotonic() - self._start)
            if ahead > 0:
                time.sleep(ahead)

    def _make_way(self, directory: Path) -> None:
        start = time.monotonic()
        while is_saving(directory) and time.monotonic() - start < LONGEST_WAIT_S:
            time.sleep(LOOK_EVERY_S)
        paused = time.monotonic() - start
        self.waited_s += paused
        self._start += paused  # a pause earns no credit for a burst afterwards


def is_saving(directory: Path) -> bool:
    """Whether another live writer stages something in `directory`."""
    try:
        staged = [staged_for(name) for name in os.listdir(directory)]  # noqa: PTH208
    except OSError:
        return False
    return any(each and liveness(each[1]) == "live" for each in staged)
