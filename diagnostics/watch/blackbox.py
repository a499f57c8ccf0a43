"""The watch itself: follow the run, capture when it stalls, write the diagnosis beside the capture.

It touches nothing of the run: a command writes to a log file of its own, which is copied to standard output
by a thread, so that neither a blocked terminal nor the end of the watch can stop the training. Captures are
made in a thread; signals go on being passed. Everything that a diagnosis imports is loaded at the start,
since the package may lie on the volume that dies.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from ..collectors import Scope
from ..errors import DiagnosticsError, UsageError
from ..localpath import local
from ..mounttable import absolute
from ..procfs import family, read_file, stat_fields
from .capture import capture, forget, load
from .copying import Copy
from .progress import Progress
from .settings import Settings
from .tail import Tail, follow
from .waits import WaitingThreads

PASSED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGCONT)


def watch_command(command: Sequence[str], settings: Settings) -> int:
    """Run a command under the watch; returns its exit status, 128 + N when signal N ended it."""
    settings = _prepare(settings)
    old = signal.pthread_sigmask(signal.SIG_BLOCK, [*PASSED, signal.SIGCHLD])
    own_log = settings.out / "run.log"
    sink = None if settings.log else os.open(own_log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    child = subprocess.Popen(
        ["/bin/sh", "-c", 'exec "$@"', "sh", *command],  # an exec from a dead volume hangs the child alone
        stdout=sink, stderr=sink, preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, old),
    )  # fmt: skip
    if sink is not None:
        os.close(sink)
    box = BlackBox(child.pid, settings, absolute(settings.log or str(own_log)), child)
    copy = None if settings.log else Copy(own_log)
    try:
        status = box.run()
    finally:
        if copy:
            copy.finish()
        signal.pthread_sigmask(signal.SIG_SETMASK, old)
    return status


def watch_process(pid: int, settings: Settings) -> int:
    """Watch a process that runs already; returns 0 when it has ended (its status is its parent's to know)."""
    if not Path(f"/proc/{pid}").exists():
        raise UsageError(f"there is no process {pid}", "give the pid of the trainer, as `ps` shows it")
    settings = _prepare(settings)
    old = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM])
    try:
        return BlackBox(pid, settings, absolute(settings.log) if settings.log else None, None).run()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


@dataclass
class BlackBox:
    """One watched run: `child` is None when somebody else started it."""

    pid: int
    settings: Settings
    log: str | None
    child: subprocess.Popen[bytes] | None
    captures: int = 0
    stopped_by: int | None = None
    _capture: threading.Thread | None = None
    _captured_at: float = float("-inf")
    _armed: bool = True
    _started: str = ""
    _run: str = ""
    _relatives: set[int] = field(default_factory=set)

    def run(self) -> int:
        """Watch until the run has ended."""
        self._started = _start_of(self.pid)
        self._run = f"{datetime.now(UTC):%FT%T+00:00} + {_command_line(self.pid)}"
        threading.Thread(target=load, daemon=True, name="load").start()
        progress = Progress(
            time.monotonic(), factor=self.settings.factor, least_s=self.settings.least_s,
            startup_s=self.settings.startup_s,
        )  # fmt: skip
        tail = follow(self.log, from_start=self.child is not None) if self.log else None
        waits = WaitingThreads(self.pid)
        while not self._ended():
            self._pass_signals()
            if self.stopped_by and self.child is None:
                break
            self._look(progress, tail, waits)
        if tail:
            progress.feed(tail.read(), time.monotonic())
            tail.close()
        return self._finish(progress)

    def _look(self, progress: Progress, tail: Tail | None, waits: WaitingThreads) -> None:
        now = time.monotonic()
        if tail:
            progress.feed(tail.read(), now)
        waits.look(now)
        stalled = progress.stalled(now) if tail else ""
        reason = waits.stuck(now) or stalled or progress.collapsed()
        self._armed = self._armed or not reason  # one capture a stall, and another when it goes on and on
        due = self._armed or now - self._captured_at > self.settings.again_s
        if reason and due and not (self._capture and self._capture.is_alive()):
            self._captured_at, self._armed = now, False
            self._relatives = set(family(self.pid))
            # in the words of any watchdog, so that the silence is evidence and not only a remark
            seen = (
                f"alive, log age {progress.quiet_s(now):.3f}s, limit {progress.limit_s:.3f}s"
                if stalled and progress.usual_s
                else ""
            )
            self._capture = threading.Thread(target=self.capture, args=(reason, seen), daemon=True, name="capture")
            self._capture.start()

    def _pass_signals(self) -> None:
        """Wait for a signal until the next look; pass on what was meant for the run."""
        wanted = [*PASSED, signal.SIGCHLD] if self.child else [signal.SIGINT, signal.SIGTERM]
        got = signal.sigtimedwait(wanted, self.settings.every_s)
        if got is None or got.si_signo == signal.SIGCHLD:
            return
        if got.si_signo in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            self.stopped_by = got.si_signo
        from_terminal = got.si_pid == 0  # the terminal sends to the whole group: the run has it already
        if self.child and not from_terminal and self.child.poll() is None:
            self.child.send_signal(got.si_signo)

    def _ended(self) -> bool:
        if self.child:
            return self.child.poll() is not None
        return _start_of(self.pid) != self._started

    def _finish(self, progress: Progress) -> int:
        status = self.child.returncode if self.child else 0
        code = 128 - status if status < 0 else status
        if self._capture:
            self._capture.join(timeout=60)
        if code and not self.stopped_by:
            self.capture(f"it ended with status {code} after step {progress.last_step:.0f}", status=code)
        return code

    def capture(self, reason: str, seen: str = "", status: int | None = None) -> None:
        """Collect and diagnose; the oldest captures make room."""
        self.captures += 1
        folder = self.settings.out / f"capture-{self.captures:03}-{datetime.now(UTC):%H%M%S}"
        pids = [self.pid, *(self._relatives if status is not None else ())]
        scope = Scope(pids=pids, logs=[self.log] if self.log else [], folders=self.settings.folders, ask_volumes=True)
        capture(folder, scope, self._run, reason, seen, status)
        forget(self.settings.out, self.settings.keep)


def _prepare(settings: Settings) -> Settings:
    """The settings with their folder made, on a disk that does not die with the volume."""
    out = Path(local(str(settings.out)))
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DiagnosticsError(f"{out} cannot be made: {error.strerror}", "name another folder with --out") from error
    return replace(settings, out=out)


def _start_of(pid: int) -> str:
    """When a process started, which tells it from a later one of the same pid; "" when it is gone or a zombie."""
    fields = stat_fields(f"/proc/{pid}")
    return fields[19] if fields and fields[0] not in "ZX" else ""


def _command_line(pid: int) -> str:
    return read_file(f"/proc/{pid}/cmdline").replace("\0", " ").strip() or f"pid {pid}"
