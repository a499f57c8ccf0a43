"""`pystack remote PID` and `pystack core FILE`, also with --native and --locals.

    Traceback for thread 4382 (python3) [Has the GIL] (most recent call last):
        (Python) File "/opt/python/lib/python3.11/threading.py", line 1002, in _bootstrap
            self._bootstrap_inner()
        (C) File "../sysdeps/unix/sysv/linux/read.c", line 26, in __GI___libc_read (libc.so.6)

The order is the reverse of py-spy's: the innermost frame comes last. The process is the thread whose
outermost Python frame is a module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..evidence import Evidence, Subject
from ..evidence.process import Frame, NativeStack, PythonStack, StackDumpFailed
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source
from .faulthandler import short

# Traceback for thread 4382 (python3) [Has the GIL,Garbage collecting] (most recent call last):
THREAD = re.compile(
    r"^Traceback for thread (\d{1,10})(?: \(([^)]{0,40})\))? \[([^\]]{0,80})\] \(most recent call last\):"
)
#     (Python) File "/opt/python/lib/python3.11/queue.py", line 180, in get
FRAME = re.compile(
    r'^ +\((Python|C)\) File "([^"]{0,4000})", line (\d{1,8}), in (\S.{0,500}?)(?: \((\S{1,200})\))?\s*$'
)
# 🚨 Operation not permitted 🚨
FAILED = re.compile(
    r"^\W{0,4}(Operation not permitted|The process \d+ could not be|Failed to \w+.{0,200}"
    r"|Engine error.{0,200}?)\W{0,4}$"
)


@dataclass
class Thread:
    """One thread while its frames are read, outermost first."""

    line: Line
    tid: int
    comm: str | None
    status: str
    frames: list[tuple[str, Frame]] = field(default_factory=list)
    code: str | None = None


def read(text: Text) -> Iterator[Evidence]:
    threads: list[Thread] = []
    for line in text.lines():
        row = line.text[:6000]
        if found := THREAD.match(row):
            threads.append(Thread(line, int(found[1]), found[2], found[3]))
        elif threads and (found := FRAME.match(row)):
            language, file, number, function, library = found.groups()
            if language == "C":
                frame = Frame(function, file or None, int(number) or None, library)
            else:
                # only the C frames have a library in brackets
                frame = Frame(f"{function} ({library})" if library else function, short(file), int(number))
                below = next(iter(text.after(line, 1)), None)
                code = below.text[:300].strip() if below and not FRAME.match(below.text[:6000]) else None
                threads[-1].code = code if code and not THREAD.match(code) else None
            threads[-1].frames.append((language, frame))
        elif found := FAILED.match(row):
            yield StackDumpFailed(source=source(text, line), tool="pystack", reason=found[1])
    pid = next((thread.tid for thread in threads if is_main(thread)), None)
    for thread in threads:
        yield from told(text, thread, pid)


def is_main(thread: Thread) -> bool:
    """True when the thread began in a module, as a process's first one does."""
    return next((frame.function for language, frame in thread.frames if language == "Python"), "") == "<module>"


def told(text: Text, thread: Thread, pid: int | None) -> Iterator[Evidence]:
    inner_first = list(reversed(thread.frames))
    where, subject = source(text, thread.line), Subject(pid=pid, tid=thread.tid, comm=thread.comm)
    name = "MainThread" if thread.tid == pid else f"Thread {thread.tid}"
    holds = True if "Has the GIL" in thread.status else False if "Waiting for the GIL" in thread.status else None
    yield PythonStack(
        source=where,
        subject=subject,
        thread=name,
        frames=tuple(frame for language, frame in inner_first if language == "Python"),
        holds_gil=holds,
        code=thread.code,
    )
    if any(language == "C" for language, _ in inner_first):
        yield NativeStack(source=where, subject=subject, thread=name, frames=tuple(frame for _, frame in inner_first))


PARSER = Parser(
    tool="pystack",
    medium="python-stacks",
    footprint=footprint_of(THREAD),
    read=read,
)
