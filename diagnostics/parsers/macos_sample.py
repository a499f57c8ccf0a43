"""macOS's `sample`: where each thread of a process was, as a tree of calls with counts.

    Analysis of sampling Python (pid 78156) every 1 millisecond
    Call graph:
        2669 Thread_502651   DispatchQueue_1: com.apple.main-thread  (serial)
        + 2669 start  (in libdyld.dylib) + 1  [0x7fff90dd9639]
        +   2669 take_gil  (in libpython3.12.dylib) + 104  [0x1008a1c2c]

Of each thread the branch with the most samples is kept, which `sample` prints first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..evidence import Subject
from ..evidence.process import Frame, NativeStack
from ..footprint import footprint_of
from ..text import Line, Text, whole_number
from . import Parser
from ._snapshot import source

# Analysis of sampling Python (pid 78156) every 1 millisecond        Process:         Python [78156]
PROCESS = re.compile(r"^Analysis of sampling \S.{0,200} \(pid (\d{1,10})\)|^Process: +\S.{0,200} \[(\d{1,10})\]$")
#     2669 Thread_502651   DispatchQueue_1: com.apple.main-thread  (serial)          2458 Thread_1518606: AMCP Logging
# Spool
THREAD = re.compile(
    r"^ {2,8}\d{1,9} Thread_([0-9a-f]{1,12})\b(?:: *| +DispatchQueue_\d{1,6}: )?(\S.{0,80}?)? *(?:\(\w+\))?$"
)
#     +   2669 take_gil  (in libpython3.12.dylib) + 104  [0x1008a1c2c]
CALL = re.compile(r"^([ +!:|]{2,600})(\d{1,9}) (\S.{0,400}?)  \(in ([^()]{1,200})\)")
END = re.compile(r"^(?:Total number in stack|Sort by top of stack|Binary Images)")
MAIN = "com.apple.main-thread"


@dataclass
class Thread:
    """One thread while its heaviest branch is read, outermost first."""

    line: Line
    number: str
    name: str
    frames: list[Frame] = field(default_factory=list)
    column: int = 0
    closed: bool = False


def read(text: Text) -> Iterator[NativeStack]:
    threads: list[Thread] = []
    pid: int | None = None
    for line in text.lines():
        row = line.text[:2000]
        if found := PROCESS.match(row):
            pid = int(found[1] or found[2])
        elif found := THREAD.match(row):
            threads.append(Thread(line, found[1], found[2] or ""))
        elif threads and END.match(row):
            break
        elif threads and (found := CALL.match(row)):
            _descend(threads[-1], len(found[1]), Frame(found[3], module=found[4]))
    for thread in threads:
        if thread.frames:
            yield _told(text, thread, pid)


def _descend(thread: Thread, column: int, frame: Frame) -> None:
    """Add a call of the first branch; the first line that is no deeper begins a lighter one."""
    thread.closed = thread.closed or column <= thread.column
    if not thread.closed:
        thread.frames.append(frame)
        thread.column = column


def _told(text: Text, thread: Thread, pid: int | None) -> NativeStack:
    return NativeStack(
        source=source(text, thread.line),
        subject=Subject(pid=pid, tid=whole_number(thread.number)),
        thread="MainThread" if thread.name == MAIN else thread.name or f"Thread_{thread.number}",
        frames=tuple(reversed(thread.frames)),
    )


PARSER = Parser(
    tool="sample",
    medium="native-stacks",
    footprint=footprint_of(PROCESS, THREAD, CALL),
    read=read,
)
