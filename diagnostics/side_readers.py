"""Many artefacts read by several processes, in their order.

The first few are read here: most incidents have no more, and a process takes as long to start as a hundred files take.
The processes are started afresh rather than forked, since the caller may hold threads, locks and a GPU. One that dies
costs nothing but time: what it was given is read here.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import BinaryIO

from .archives import Artefact
from .reading import Reading, read_artefact

FEW = 400  # artefacts
BATCH = 40  # artefacts
MOST = 8  # processes
LARGE = 1 << 20  # bytes; larger ones are not sent about


def read_all(artefacts: Iterable[Artefact], processes: int | None = None) -> Iterator[tuple[str, Reading]]:
    """Each artefact's name and what `read_artefact` gives for it, in order.

    `processes` is how many to start for what is more than a few; by default one a core.
    """
    waiting = iter(artefacts)
    for artefact in islice(waiting, FEW):
        yield artefact.name, read_artefact(artefact)
    processes = min(MOST, len(os.sched_getaffinity(0))) if processes is None else processes
    more = next(waiting, None)
    if more is None:
        return
    waiting = chain([more], waiting)
    if processes < 2:
        yield from ((artefact.name, read_artefact(artefact)) for artefact in waiting)
        return
    with ExitStack() as stack:
        readers: SimpleQueue[SideReader] = SimpleQueue()
        for _ in range(processes):
            readers.put(stack.enter_context(SideReader()))
        pool = stack.enter_context(ThreadPoolExecutor(processes))
        yield from _in_order(pool, readers, waiting, 2 * processes)


def _in_order(
    pool: ThreadPoolExecutor, readers: SimpleQueue[SideReader], artefacts: Iterator[Artefact], ahead: int
) -> Iterator[tuple[str, Reading]]:
    def read(batch: list[Artefact]) -> list[Reading]:
        reader = readers.get()
        try:
            return reader.read(batch)
        finally:
            readers.put(reader)

    asked: deque[tuple[list[str], Future[list[Reading]]]] = deque()
    while True:
        while len(asked) < ahead and (batch := list(islice(artefacts, BATCH))):
            asked.append(([artefact.name for artefact in batch], pool.submit(read, batch)))
        if not asked:
            return
        names, answer = asked.popleft()
        yield from zip(names, answer.result(), strict=True)


class SideReader:
    """A process that reads artefacts for this one."""

    def __init__(self) -> None:
        package = str(Path(__file__).parents[1])
        path = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.side_readers"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
        )

    def __enter__(self) -> SideReader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                try:
                    pipe.close()
                except OSError:
                    continue  # what was not sent to a process that is gone

    def read(self, batch: list[Artefact]) -> list[Reading]:
        """What each of the artefacts holds; the process's own pickles are all that is ever unpickled here."""
        sent = [each for each in batch if each.path is None and len(each.data) < LARGE]
        answers = iter(self._ask(sent))
        return [
            next(answers) if each.path is None and len(each.data) < LARGE else read_artefact(each) for each in batch
        ]

    def _ask(self, batch: list[Artefact]) -> list[Reading]:
        assert self._process.stdin
        assert self._process.stdout
        try:
            pickle.dump(batch, self._process.stdin)
            self._process.stdin.flush()
            # audit: allow[unpickle-untrusted] because the other end of this pipe is our own process
            found: list[Reading] = pickle.load(self._process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            return [read_artefact(artefact) for artefact in batch]
        return found


def serve(asks: BinaryIO, answers: BinaryIO) -> None:
    """Read what is asked for until nobody asks any more."""
    while True:
        try:
            # audit: allow[unpickle-untrusted] because the other end of this pipe is the process that started us
            batch = pickle.load(asks)
        except EOFError:
            return
        pickle.dump([read_artefact(artefact) for artefact in batch], answers)
        answers.flush()


if __name__ == "__main__":
    try:
        with os.fdopen(os.dup(1), "wb") as pipe:
            os.dup2(2, 1)  # whatever else is printed must not come between the answers
            serve(sys.stdin.buffer, pipe)
    except (KeyboardInterrupt, BrokenPipeError):
        os._exit(1)
