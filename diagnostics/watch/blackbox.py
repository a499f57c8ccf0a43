"""The watch itself: follow the run, capture when it stalls, write the diagnosis beside the capture.

It touches nothing of the run: a command writes to a log file of its own, which is copied to standard output
by a thread, so that neither a blocked terminal nor the end of the watch can stop the training. Captures are
made in a thread; signals go on being passed. Everything that a diagnosis imports is loaded at the start,
since the package may lie on the volume that dies.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from ..collect import collect
from ..collectors import Scope
from ..durable import write_durably
from ..errors import DiagnosticsError, UsageError
from ..localpath import local
from ..masking import mask
from ..mounttable import absolute
from ..printable import visible
from .progress import Progress
from .tail import Tail, follow
from .waits import WaitingThreads, family

PASSED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGCONT)
CAPTURE = re.compile(r"capture-\d{3}-\d{6}(?:\.diagnosis\.(?:json|txt))?")
COPY_S = 5.0


@dataclass(frozen=True)
class Settings:
    """What a watch is told. `keep` captures are kept; `every_s` is how often it looks."""

    out: Path
    log: str | None = None
    folders: Sequence[str] = ()
    keep: int = 5
    factor: float = 6.0
    least_s: float = 5.0
    startup_s: float = 300.0
    every_s: float = 0.5
    again_s: float = 300.0


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
    copy = None if settings.log else _Copy(own_log)
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
        threading.Thread(target=_load, daemon=True, name="load").start()
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
        reason = waits.stuck(now) or (progress.stalled(now) if tail else "") or progress.collapsed()
        self._armed = self._armed or not reason  # one capture a stall, and another when it goes on and on
        due = self._armed or now - self._captured_at > self.settings.again_s
        if reason and due and not (self._capture and self._capture.is_alive()):
            self._captured_at, self._armed = now, False
            self._relatives = set(family(self.pid))
            self._capture = threading.Thread(target=self.capture, args=(reason,), daemon=True, name="capture")
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

    def capture(self, reason: str, status: int | None = None) -> None:
        """Collect and diagnose; whatever goes wrong is said and does not end the watch."""
        self.captures += 1
        now = datetime.now(UTC)
        folder = self.settings.out / f"capture-{self.captures:03}-{now:%H%M%S}"
        say(f"{reason}: collecting into {folder}")
        try:
            pids = [self.pid, *(self._relatives if status is not None else ())]
            logs = [self.log] if self.log else []
            collect(folder, Scope(pids=pids, logs=logs, folders=self.settings.folders, ask_volumes=True))
            note = f"{self._run}\n{now:%FT%T+00:00} watch: pid {self.pid}: {reason}\n"
            (folder / "watch.txt").write_text(mask(note), encoding="utf-8")
            if status is not None:
                line = f"{now:%FT%T+00:00} watch: trainer exited with status {status}\n"
                (folder / "exit_status.txt").write_text(line, encoding="utf-8")
            say(_diagnose(folder))
        except DiagnosticsError as error:
            say(str(error))
        except Exception as error:  # a capture that fails must not take the watch down with it
            say(f"the capture failed: {type(error).__name__}: {error}")
        _forget(self.settings.out, self.settings.keep)


def _diagnose(folder: Path) -> str:
    """Write the diagnosis beside the folder; returns the verdict in one line."""
    from ..diagnosis import diagnose
    from ..explanation import explain, format_explanation
    from ..incident import open_incident
    from ..report import diagnosis_as_json

    diagnosis = diagnose(open_incident(folder))
    text = visible(format_explanation(explain(diagnosis)))
    _beside(folder, "txt").write_text(text, encoding="utf-8")
    printed = json.dumps(diagnosis_as_json(diagnosis), indent=1, ensure_ascii=False)
    write_durably(_beside(folder, "json"), printed.encode())
    named = ", ".join(f"{each.slug} ({each.subject})" for each in diagnosis.answer)
    return f"{diagnosis.verdict.value}{': ' + named if named else ''}; {_beside(folder, 'txt')}"


def _beside(folder: Path, ending: str) -> Path:
    return folder.with_name(f"{folder.name}.diagnosis.{ending}")


def _load() -> None:
    """Import all that a capture needs, by diagnosing an incident of nothing."""
    from ..collectors import all_collectors
    from ..diagnosis import diagnose
    from ..explanation import explain, format_explanation
    from ..incident import Incident
    from ..parsers import all_parsers
    from ..probes import all_probes
    from ..report import diagnosis_as_json

    all_collectors(), all_probes(), all_parsers()
    nothing = diagnose(Incident("", (), ()))
    format_explanation(explain(nothing))
    diagnosis_as_json(nothing)


def _forget(out: Path, keep: int) -> None:
    """Keep the last captures; only folders and files of our own names go."""
    names = sorted({path.name.split(".")[0] for path in out.iterdir() if CAPTURE.fullmatch(path.name)})
    for name in names[:-keep] if keep else ():
        shutil.rmtree(out / name, ignore_errors=True)
        for ending in ("json", "txt"):
            _beside(out / name, ending).unlink(missing_ok=True)


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
    try:
        with open(f"/proc/{pid}/stat", encoding="latin-1") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


def _command_line(pid: int) -> str:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
        return file.read().replace("\0", " ").strip()
    return f"pid {pid}"


def say(text: str) -> None:
    """One line on standard error."""
    print(visible(f"{datetime.now():%T} [diagnostics watch] {text}"), file=sys.stderr, flush=True)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


class _Copy(threading.Thread):
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
                    _write_all(1, data)  # not sys.stdout, whose lock would stop the interpreter's end
                except OSError:
                    return
            elif last:
                return
            else:
                self.ending.wait(0.2)

    def finish(self) -> None:
        self.ending.set()
        self.join(COPY_S)
