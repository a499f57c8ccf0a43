"""A progress bar on the terminal for what takes longer than a person likes to wait in silence."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..printable import visible

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE_S = 2.0


@contextmanager
def reading(paths: Sequence[str]) -> Iterator[Callable[[int, str], None] | None]:
    """Gives what to call with the number of files read; None where standard error is no terminal.

    The bar appears after two seconds and goes when the reading is done. A file that is read alone is named, with its
    size: nobody knows how far its reading is.
    """
    if not sys.stderr.isatty():
        yield None
        return
    bar = _Bar(paths)
    timer = threading.Timer(PATIENCE_S, bar.show)
    timer.daemon = True
    timer.start()
    try:
        yield bar.update
    finally:
        timer.cancel()
        timer.join()
        bar.close()


class _Bar:
    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths
        self._done = 0
        self._shown: Progress | None = None

    def update(self, done: int, _name: str) -> None:
        self._done = done
        if self._shown:
            self._shown.update(self._shown.task_ids[0], completed=done)

    def show(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        if alone := _file_alone(self._paths):
            reading = TextColumn(f"reading {alone}", markup=False)
            bar = Progress(reading, BarColumn(), TimeElapsedColumn(), console=Console(stderr=True), transient=True)
        else:
            columns = (
                TextColumn("reading"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("files"),
                TimeRemainingColumn(),
            )
            bar = Progress(*columns, console=Console(stderr=True), transient=True)
        bar.add_task("", total=_files(self._paths), completed=self._done)
        bar.start()
        self._shown = bar

    def close(self) -> None:
        if self._shown:
            self._shown.stop()


def _files(paths: Sequence[str]) -> int | None:
    """How many files there are, where folders tell; None for archives and single files, whose size says nothing."""
    if not all(Path(path).is_dir() for path in paths):
        return None
    return sum(len(files) for path in paths for _, _, files in os.walk(path))


def _file_alone(paths: Sequence[str]) -> str | None:
    """The name and size of the one file that is read; None of anything else."""
    if len(paths) != 1 or not Path(paths[0]).is_file():
        return None
    path = Path(paths[0])
    return f"{visible(path.name)}, {path.stat().st_size / 1e6:,.1f} MB".replace("{", "{{").replace("}", "}}")
