"""Ask a question that may never be answered: a child process, polled to a deadline, then left behind.

Nothing in this process touches the mount that is asked about. The child is started from a healthy path by
/bin/sh (an `exec` from a dead volume hangs in the child, never here), in a session of its own, in /, without
input. At the deadline it gets SIGKILL; when not even that ends it (state D), it is left behind, counted
against its mount, and reaped whenever it ends. `subprocess.run(timeout=...)` is of no use here: after the
kill it waits for the child without limit.

`question.py` asks through `run`, and so does everything else that starts a program.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from .errors import DiagnosticsError
from .head_and_tail import HeadAndTail
from .mounttable import is_below

MOST_LEFT_BEHIND = 4  # a mount; a question more would only add another process that nobody can end
GRACE_S = 0.3  # how long a killed child may take to be gone before it counts as left behind
POLL_S = 0.05
OUTPUT_LIMIT = 64 << 20
SEARCH_PATHS = ("PATH", "LD_LIBRARY_PATH", "LD_PRELOAD")


class Cancelled(DiagnosticsError):
    """The person asked to stop; the child was killed and nothing was learnt."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A command's end: `status` is None when it was still running at the deadline.

    `cut` is how many bytes are left out of the middle of `output`, where a line says so.
    """

    status: int | None
    output: bytes
    errors: bytes
    elapsed_s: float
    asked: bool = True
    cut: int = 0


@dataclass(frozen=True, slots=True)
class LeftBehind:
    """A child that nothing could end."""

    pid: int
    mount: str
    since_s: float
    about: str


class _Child(subprocess.Popen[bytes]):
    def __del__(self) -> None:
        """A child that was left behind is no leak to warn of: it cannot be waited for."""


_left: dict[int, tuple[_Child, str, str, float]] = {}
_lock = threading.Lock()


def left_behind(mount: str | None = None) -> list[LeftBehind]:
    """The children of this process that still wait, of one mount or of all; those that ended are reaped."""
    now = time.monotonic()
    with _lock:
        for pid in [pid for pid, (child, *_) in _left.items() if child.poll() is not None]:
            del _left[pid]
        rows = [LeftBehind(pid, where, now - since, about) for pid, (_, where, about, since) in _left.items()]
    return [row for row in rows if mount in (None, row.mount)]


def waiting_on(mount: str) -> int:
    """How many questions about a mount nobody could end, those of earlier runs of this program included."""
    mine = {row.pid for row in left_behind(mount)}
    return len(mine | set(_orphans(process_name(mount))))


def process_name(mount: str) -> str:
    """The process name of a question about this mount (15 characters at most), so that a later run knows it."""
    return f"dx-{zlib.crc32(mount.encode(errors='surrogateescape')):08x}"


def _orphans(name: str) -> Iterator[int]:
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError), open(f"/proc/{entry.name}/stat", encoding="latin-1") as stat:
                head, _, tail = stat.read().rpartition(")")
                if head.partition("(")[2] == name and tail.split()[0] in "DS" and int(tail.split()[1]) == 1:
                    yield int(entry.name)


def run(
    command: Sequence[str],
    *,
    mount: str,
    deadline_s: float,
    about: str = "",
    cancel: threading.Event | None = None,
    on_line: Callable[[bytes], None] | None = None,
    limit: int = OUTPUT_LIMIT,
) -> Finished:
    """Run a command and come back within `deadline_s` plus a second, whatever becomes of it.

    `mount` is what the command may hang on, a mount or any other name ("" = nothing): children that cannot be ended are
    counted against it, and with MOST_LEFT_BEHIND of them the command is not started (`asked` is False).
    `on_line` gets each complete line of output as it comes, all of them. Of output and errors about `limit` bytes each
    are kept, their head and their tail. Raises Cancelled when `cancel` is set.
    """
    start = time.monotonic()
    if mount and waiting_on(mount) >= MOST_LEFT_BEHIND:
        return Finished(None, b"", b"", 0.0, asked=False)
    child = _Child(
        ["/bin/sh", "-c", 'exec "$@"', "sh", *command],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd="/", env=_environment(mount), start_new_session=True,
    )  # fmt: skip
    try:
        output, errors = _listen(child, start + deadline_s, cancel, on_line, limit)
        ended = child.poll()
    finally:
        _end(child, mount, about or command[0])
    content, cut = output.whole_lines()
    return Finished(ended, content, errors.whole_lines()[0], time.monotonic() - start, cut=cut)


def _listen(
    child: _Child,
    end: float,
    cancel: threading.Event | None,
    on_line: Callable[[bytes], None] | None,
    limit: int,
) -> tuple[HeadAndTail, HeadAndTail]:
    """Read both pipes until the child has ended or the deadline has come."""
    assert child.stdout and child.stderr
    output, errors = HeadAndTail(limit), HeadAndTail(limit)
    kept = {child.stdout.fileno(): output, child.stderr.fileno(): errors}
    begun = bytearray()  # of a line of output that has not ended yet
    with selectors.DefaultSelector() as selector:
        for pipe in kept:
            os.set_blocking(pipe, False)
            selector.register(pipe, selectors.EVENT_READ)
        ended = False
        while selector.get_map() and time.monotonic() < end:
            if cancel is not None and cancel.is_set():
                raise Cancelled("cancelled")
            ready = selector.select(min(POLL_S, max(0.0, end - time.monotonic())))
            for key, _ in ready:
                data = os.read(key.fd, 1 << 16)
                if not data:
                    selector.unregister(key.fd)
                    continue
                kept[key.fd].add(data)
                if on_line and kept[key.fd] is output:
                    _tell(begun, data, on_line, limit)
            if ended and not ready:
                break  # a grandchild may hold the pipes open for ever
            ended = child.poll() is not None
    while child.poll() is None and time.monotonic() < end:
        if cancel is not None and cancel.is_set():
            raise Cancelled("cancelled")
        time.sleep(0.002)
    return output, errors


def _tell(begun: bytearray, data: bytes, on_line: Callable[[bytes], None], limit: int) -> None:
    """Tell the lines that some bytes more complete; `begun` holds the beginning of the next one, to a limit."""
    complete, newline, rest = data.rpartition(b"\n")
    if newline:
        for line in bytes(begun + complete).splitlines():
            on_line(line)
        begun.clear()
    if len(begun) < limit:
        begun += rest


def _end(child: _Child, mount: str, about: str) -> None:
    """Kill what still runs; what cannot be killed is kept in mind and left behind."""
    for pipe in (child.stdout, child.stderr):
        if pipe:
            pipe.close()
    if child.poll() is not None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    end = time.monotonic() + GRACE_S
    while child.poll() is None and time.monotonic() < end:
        time.sleep(0.002)
    if child.poll() is None:
        with _lock:
            _left[child.pid] = (child, mount, about, time.monotonic())


def _environment(mount: str) -> dict[str, str]:
    """This process's environment without search paths that lead onto the mount in question."""
    found = dict(os.environ)
    if mount and mount != "/":
        for name in SEARCH_PATHS:
            kept = [part for part in found.get(name, "").split(":") if part and not is_below(part, mount)]
            found.pop(name, None)
            if kept:
                found[name] = ":".join(kept)
    return found
