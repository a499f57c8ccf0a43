"""The run's output on its way to this command's: a blocked terminal must not stop the training."""

from __future__ import annotations

import threading
from pathlib import Path

from ..durable import write_all
from .tail import follow

COPY_S = 5.0


class Copy(threading.Thread):
    """Copies the run's log to standard output; may block on it for ever without harm."""

    def __init__(self, path: Path) -> None:
        super().__init__(daemon=True, name="copy")
        self.tail = follow(str(path), from_start=True)
        self.ending = threading.Event()
        self.start()

    def run(self) -> None:
        while True:
            last = self.ending.is_set()
            data = self.tail.read()
            if data:
                try:
                    write_all(1, data)  # not sys.stdout, whose lock would stop the interpreter's end
                except OSError:
                    return
            elif last:
                return
            else:
                self.ending.wait(0.2)

    def finish(self) -> None:
        self.ending.set()
        self.join(COPY_S)
