"""Cut an action off at every system call that it makes on a folder, or make that call fail.

The action runs in a fork of this process, so that it makes the same calls in the same order every time. It
waits until strace is attached; `-e inject=CALL:...:when=N` then hits the N-th call of that name
(https://man7.org/linux/man-pages/man1/strace.1.html). A kill falls before the call takes effect.
"""

from __future__ import annotations

import errno
import os
import re
import select
import signal
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults.place import require

KINDS = ("kill", "EIO", "ENOSPC", "EINTR")
FAILED = 3
LINE = re.compile(r"(\d+) +(\w+)\((.*)")
CHANGES = {"write", "fsync", "rename", "unlink", "unlinkat", "mkdir", "rmdir", "ftruncate", "fchmod", "flock"}
NO_ROOM = {"write", "pwrite64", "openat", "fsync", "close", "rename", "mkdir", "ftruncate", "fchmod"}
INTERRUPTED = {"write", "openat", "fsync", "close", "flock", "ftruncate"}
Action = Callable[[Path], object]


@dataclass(frozen=True)
class Point:
    """One system call of a run: the `nth` call of that `name`, on a path below the folder."""

    name: str
    nth: int
    text: str

    def __str__(self) -> str:
        return f"{self.name} #{self.nth}: {self.text[:100]}"


@dataclass(frozen=True)
class Ending:
    """How a run ended: its status (negative for a signal) and what it said when it raised."""

    status: int
    said: str
    trace: list[str]

    @property
    def killed(self) -> bool:
        return self.status == -signal.SIGKILL

    @property
    def succeeded(self) -> bool:
        return self.status == 0


def points(action: Action, folder: Path) -> list[Point]:
    """Every call of an undisturbed run that names the folder or holds a descriptor into it."""
    ending = run(action, folder)
    assert ending.succeeded, ending.said
    counts: Counter[str] = Counter()
    found = []
    for line in ending.trace:
        if parsed := LINE.match(line):
            name, text = parsed[2], parsed[3]
            counts[name] += 1
            if str(folder) in text:
                found.append(Point(name, counts[name], text.replace(str(folder), "")))
    seen = set[tuple[str, str]]()
    return [each for each in found if each.name in CHANGES or _is_new((each.name, each.text[:60]), seen)]


def _is_new(key: tuple[str, str], seen: set[tuple[str, str]]) -> bool:
    """Of calls that change nothing, the same one on the same path need not be tried twice."""
    new = key not in seen
    seen.add(key)
    return new


def run(action: Action, folder: Path, point: Point | None = None, kind: str = "") -> Ending:
    """Run the action in a fork, cut off or failing at a point."""
    trace = folder.with_name("trace")
    gate, opener = os.pipe()
    told, teller = os.pipe()
    child = os.fork()
    if child == 0:
        _child(action, folder, gate, teller)
    for descriptor in (gate, teller):
        os.close(descriptor)
    inject = []
    if point:
        effect = "signal=SIGKILL" if kind == "kill" else f"error={kind}"
        inject = ["-e", f"inject={point.name}:{effect}:when={point.nth}"]
    words = ["strace", "-f", "-y", "-s", "0", "-e", "trace=%file,%desc", "-e", "signal=none", "-o", str(trace), *inject]
    with subprocess.Popen([*words, "-p", str(child)], stderr=subprocess.PIPE, text=True) as tracer:
        assert tracer.stderr
        if "attached" not in (first := tracer.stderr.readline()):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.skip(f"strace cannot attach: {first.strip()}")
        os.write(opener, b"g")
        os.close(opener)
        with os.fdopen(told, "rb") as answer:
            said = answer.read().decode()
        _, state = os.waitpid(child, 0)
    return Ending(os.waitstatus_to_exitcode(state), said, trace.read_text(errors="replace").splitlines())


def _child(action: Action, folder: Path, gate: int, teller: int) -> None:
    status = FAILED
    try:
        select.select([gate], [], [])  # not a read: those are counted
        action(folder)
        status = 0
    except BaseException as error:
        said = f"{type(error).__name__}: {error}" if hasattr(error, "remedy") else traceback.format_exc()
        os.write(teller, said.encode())
    finally:
        sys.stdout.flush()
        os._exit(status)


def every_point(
    action: Action, prepare: Action, place: Path, kinds: Sequence[str] = KINDS
) -> Iterator[tuple[str, Path, Ending]]:
    """Each point and kind in turn: what was done, the folder it left behind, and how the action ended."""
    require("strace")
    folder = place / "folder"
    prepare(folder)
    action(folder)  # in this process: what is imported or cached late is so before the first fork
    _fresh(prepare, folder)
    missed = tried = 0
    for point in points(action, folder):
        for kind in kinds:
            if kind == "kill" and point.name not in CHANGES | {"openat", "close"}:
                continue  # it leaves what a kill at the next call that changes something leaves
            if (kind == "ENOSPC" and point.name not in NO_ROOM) or (kind == "EINTR" and point.name not in INTERRUPTED):
                continue  # a kernel does not answer so
            _fresh(prepare, folder)
            ending = run(action, folder, point, kind)
            hit = ending.killed if kind == "kill" else any("(INJECTED)" in line for line in ending.trace)
            if hit:
                yield f"{kind} at {point}", folder, ending
            missed += not hit
            tried += 1
    assert missed <= tried / 20, f"{missed} of {tried} injections hit nothing: the action is not the same every time"


def _fresh(prepare: Action, folder: Path) -> None:
    subprocess.run(["rm", "-rf", str(folder)], check=True)
    prepare(folder)


def names_errno(said: str) -> bool:
    """Whether an error text says what the system said."""
    return any(os.strerror(getattr(errno, kind)) in said for kind in KINDS[1:])
