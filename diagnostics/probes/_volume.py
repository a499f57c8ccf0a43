"""One volume under test: its time, its budget, its free space, and the folder of our own on it."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from ..evidence.probe import Outcome
from ..mounttable import MountPoint
from ..question import Answer, Question
from . import _stage
from ._probe import MIB
from .statfs import PROBE as STATFS

GIB = 1 << 30
MOST_SILENT = 2  # after so many silent answers the rest would only add waiting children
CLEAN_S = 10.0


@dataclass
class Volume:
    """A folder and the mount it lies on, without symbolic links.

    `failed` holds the answers to what we had to ask for ourselves (free space, a folder) and did not get: they
    are evidence like any other. Of the local disk (`is_control`) only our own files are read.
    """

    folder: str
    point: MountPoint
    cancel: threading.Event
    is_control: bool = False
    stage: str = ""
    staged: bool = False
    refused: str = ""
    silent: int = 0
    written: int = 0
    until: float = float("inf")
    failed: list[tuple[str, Answer]] = field(default_factory=list)

    @property
    def mount(self) -> str:
        return self.point.mount

    @property
    def left_s(self) -> float:
        """Seconds of this volume's time that are left."""
        return self.until - time.monotonic()

    def count(self, answer: Answer) -> None:
        self.silent += answer.outcome is Outcome.SILENT

    def lacks_space(self, size: int, reserve: int | None) -> str:
        """Why so many bytes may not be written, or "": a reserve (default: 5 %, at most 10 GiB) has to stay free."""
        answer = self._ask("statfs", STATFS.question, _stage.ASK_S, folder=self.folder, stage="")
        if answer.outcome is not Outcome.ANSWERED:
            return f"the free space is not known: {answer.text}"
        total, free = answer.values["size_bytes"], answer.values["free_bytes"]
        kept = min(10 * GIB, total // 20) if reserve is None else reserve
        if total and free < size + kept:
            return f"{free / MIB:.0f} MiB are free, it needs {size / MIB:.0f} and {kept / MIB:.0f} are kept in reserve"
        return ""

    def make_stage(self) -> str:
        """Sweep up after earlier runs and make our folder, once; returns why there is none, or ""."""
        if self.staged or self.refused:
            return self.refused
        name, mark = _stage.stage_name(), _stage.MARK
        host = name.removeprefix(mark).split("-")[1]
        self._ask("sweep", _stage.SWEEP, CLEAN_S, folder=self.folder, host=host, mark=mark)
        self.stage = f"{self.folder.rstrip('/')}/{name}"
        self.staged = True  # from here on it is removed, made or not
        answer = self._ask("make-folder", _stage.MAKE, _stage.ASK_S, stage=self.stage, mark=mark)
        if answer.outcome is not Outcome.ANSWERED:
            self.refused = f"no folder could be made on it: {answer.error or 'silent'} {answer.text}"
        return self.refused

    def clean(self) -> bool:
        """Remove our folder, also when the session was cancelled; False when that failed."""
        if not self.staged:
            return True
        allowed = 2.0 if self.silent else CLEAN_S
        return _stage.REMOVE.ask(self.mount, allowed, stage=self.stage).outcome is Outcome.ANSWERED

    def _ask(self, name: str, question: Question, deadline_s: float, **arguments: object) -> Answer:
        allowed = min(deadline_s, max(0.5, self.left_s))
        answer = question.ask(self.mount, allowed, cancel=self.cancel, on_progress=None, **arguments)
        if answer.outcome is not Outcome.ANSWERED:
            self.count(answer)
            self.failed.append((name, answer))
        return answer
