"""A command whose work lies on a network volume: done in a child, watched, and left behind when the volume dies.

A read of a dead volume cannot be interrupted, not even by SIGKILL, so whoever reads must be somebody else. The
child is forked before anything was touched, in a process group of its own; its output comes through pipes, since
a child that cannot be ended keeps whatever it holds open. While it reads, writes, computes or prints it may take
as long as it likes.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from .durable import write_all
from .errors import DiagnosticsError, UnreadableInput
from .evidence.probe import Outcome
from .mounttable import MountPoint, absolute, is_below, mount_of, read_mount_table
from .procfs import family, read_file, stat_fields
from .question import Question
from .stuck import format_stuck, who_waits

PATIENCE_S = 30.0  # without a byte read or written, a line printed or any CPU time used
LOOKUP_S = 5.0
ASKED_FILES = 3
LOOK_S = 0.5
GRACE_S = 5.0  # to clean up after Ctrl-C

_supervised = False  # true in the child that `supervised` watches


def resolve_each(say: Any, paths: list[str]) -> dict[str, list[str]]:
    """The paths without symbolic links."""
    found = []
    for path in paths:
        say(at=path)
        found.append(os.path.realpath(path))
    return {"paths": found}


RESOLVE = Question(resolve_each)


def first_bytes(say: Any, path: str, files: int) -> None:
    """Read one byte of the first files at or below a path."""
    for folder, _, names in os.walk(path) if os.path.isdir(path) else [(os.path.dirname(path), [], [path])]:
        for name in sorted(names)[:files]:
            file = os.path.join(folder, name)
            say(at=file)
            if os.path.isfile(file):
                files -= 1
                try:
                    with open(file, "rb") as stream:
                        stream.read(1)
                except OSError:
                    continue
        if files <= 0:
            return


FIRST_BYTES = Question(first_bytes)


def must_answer(paths: Sequence[str]) -> None:
    """Raise UnreadableInput when the paths lie on a network volume that does not give a byte of its files.

    For those who read in their own process, as a notebook does. A volume that dies while they read still holds
    them: only `supervised` comes back then, and what it supervises is not asked again.
    """
    found = None if _supervised else volume_of(paths)
    if found is None:
        return
    volume, _ = found
    for path in paths:
        answer = FIRST_BYTES.ask(volume.mount, PATIENCE_S, path=absolute(path), files=ASKED_FILES)
        if answer.outcome is Outcome.SILENT:
            raise _does_not_answer(volume, answer.text)


def volume_of(paths: Sequence[str]) -> tuple[MountPoint, str] | None:
    """The first network volume that a path lies on, leads to or holds, and that path.

    Raises UnreadableInput when one cannot even be looked up. No path is touched by this process.
    """
    table = read_mount_table()
    volumes = [row for row in table if row.filesystem.network and row.mount != "/"]
    if not volumes or not paths:
        return None
    clean = [absolute(path) for path in paths]
    first = next((row for path in clean if (row := mount_of(path, table)) in volumes), None)
    answer = RESOLVE.ask(first.mount if first else "", LOOKUP_S, paths=clean)
    if answer.outcome is Outcome.SILENT:
        path = str(answer.progress.get("at", ""))
        silent = mount_of(path, table) if path else None
        # a link leads from a healthy disk to nobody knows which volume
        volume = silent if silent in volumes else first or volumes[0]
        raise _does_not_answer(volume, f"{path or volume.mount} cannot be looked up: {answer.text}")
    for path in answer.values.get("paths", clean):
        lies_on = mount_of(path, table)
        for volume in volumes:
            if volume == lies_on or is_below(volume.mount, path):
                return volume, path
    return None


def supervised(work: Callable[[], int], volume: MountPoint, goes_on: Callable[[], bool] = lambda: False) -> int:
    """Do `work` in a child and return its exit status; its output appears as ours.

    Raises UnreadableInput when nothing moved for PATIENCE_S, unless `goes_on()` says that the volume is well and
    only slow. Must be called while this process has a single thread.
    """
    pid, pipes = _fork(work)
    child = _Child(pid)
    previous = {number: signal.signal(number, child.pass_on) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        return _attend(child, pipes, volume, goes_on)
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
        for pipe in pipes:
            os.close(pipe)


class _Child:
    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.status: int | None = None
        self.stopped_by = 0
        self.stop_at = float("inf")
        self._last: object = None
        self.moved_at = time.monotonic()

    def ended(self) -> bool:
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                code = os.waitstatus_to_exitcode(status)
                self.status = code if code >= 0 else 128 - code
        return self.status is not None

    def pass_on(self, number: int, _frame: object) -> None:
        self.stopped_by, self.stop_at = number, time.monotonic() + GRACE_S
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def look(self) -> None:
        """Note whether it or any of its children has moved since the last look."""
        now = sorted((pid, _counters(pid)) for pid in family(self.pid))
        if now != self._last:
            self._last, self.moved_at = now, time.monotonic()

    def kill(self) -> None:
        """End it and its children, as far as that is possible."""
        for pid in family(self.pid):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        end = time.monotonic() + LOOK_S
        while not self.ended() and time.monotonic() < end:
            time.sleep(0.01)


def _fork(work: Callable[[], int]) -> tuple[int, tuple[int, int]]:
    sys.stdout.flush()
    sys.stderr.flush()
    pipes = [os.pipe(), os.pipe()]
    pid = os.fork()
    if pid:
        for _, write in pipes:
            os.close(write)
        return pid, (pipes[0][0], pipes[1][0])
    global _supervised
    _supervised = True
    status = 70
    try:
        os.setpgid(0, 0)  # Ctrl-C reaches the parent alone, which passes it on once
        for (read, write), descriptor in zip(pipes, (1, 2), strict=True):
            os.dup2(write, descriptor)
            os.close(read)
            os.close(write)
        # the old ones may remember that they wrote to a file, in which they could seek
        sys.stdout, sys.stderr = (
            open(each.fileno(), "w", encoding=each.encoding, errors=each.errors, closefd=False)  # noqa: SIM115
            for each in (sys.stdout, sys.stderr)
        )
        status = work()
        sys.stdout.flush()
        sys.stderr.flush()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except OSError:  # the reader of our output went away
        status = 1
    finally:
        os._exit(status)


def _attend(child: _Child, pipes: tuple[int, int], volume: MountPoint, goes_on: Callable[[], bool]) -> int:
    """Pass its output on until it has ended, or until it is given up."""
    next_look = 0.0
    with selectors.DefaultSelector() as selector:
        for pipe, ours in zip(pipes, (1, 2), strict=True):
            selector.register(pipe, selectors.EVENT_READ, ours)
        while True:
            ended = child.ended()
            ready = selector.select(0 if ended else 0.02)
            for key, _ in ready:
                _pass(selector, key)
            if ended and not ready:
                return child.status or 0
            now = time.monotonic()
            if now > next_look:
                child.look()
                next_look = now + LOOK_S
            if now > child.stop_at:
                child.kill()
                return 128 + child.stopped_by
            if not ended and now - child.moved_at > PATIENCE_S:
                if goes_on():
                    child.moved_at = time.monotonic()
                    print(f"{volume.mount} is slow, and answers: still waiting", file=sys.stderr, flush=True)
                else:
                    where = next(
                        (f": {format_stuck(row)}" for row in who_waits(volume.mount) if row.pid == child.pid), ""
                    )
                    child.kill()
                    raise _does_not_answer(volume, f"nothing moved for {PATIENCE_S:.0f} s{where}")


def _pass(selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
    data = os.read(key.fd, 1 << 16)
    if not data:
        selector.unregister(key.fileobj)
    write_all(key.data, data)


def _counters(pid: int) -> tuple[str, ...]:
    """What it has read and written, and its CPU time."""
    return (read_file(f"/proc/{pid}/io"), *stat_fields(f"/proc/{pid}")[11:13])


def _does_not_answer(volume: MountPoint, what: str) -> DiagnosticsError:
    server = f" at {volume.server}" if volume.server else ""
    return UnreadableInput(
        f"{volume.mount} does not answer ({volume.filesystem.title}{server}): {what}",
        f"ask it live with `probe {volume.mount}`, see who waits with `probe --who {volume.mount}`, and read a copy "
        "that lies on a local disk",
    )
