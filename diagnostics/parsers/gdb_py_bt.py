"""gdb's `py-bt` (python-gdb.py).

    Traceback (most recent call first):
      Waiting for the GIL
      <built-in method read of module object at remote 0x7fa9182e9990>
      File "/workspace/job/train_demo.py", line 18, in _get_data
        return self.data.get()

Innermost first, although it calls itself a traceback. The remark on the GIL may be the first line that a
pasted excerpt shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..evidence import Subject
from ..evidence.process import Frame, PythonStack
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source
from .faulthandler import short
from .gdb import PROCESS, THREAD

HEAD = re.compile(r"^Traceback \(most recent call first\):")
GIL = re.compile(r"^\s*Waiting for the GIL\s*$")
# python-gdb says this of a thread inside PyThread_acquire_lock
LOCK = re.compile(r"^\s*Waiting for a lock \(e\.g\. GIL\)\s*$")
#   File "/opt/python/lib/python3.11/multiprocessing/connection.py", line 395, in _recv
FRAME = re.compile(r'^\s*File "([^"]{1,4000})", line (\d{1,8}), in (\S.{0,500}?)\s*$')
#   <built-in method read of module object at remote 0x7fa9182e9990>
BUILT_IN = re.compile(r"^\s*<built-in method (\w{1,200})\b[^>]{0,400}>?\s*$")


@dataclass
class Stack:
    """One thread's frames, innermost first."""

    line: Line
    tid: int | None = None
    waits_for_gil: bool = False
    frames: list[Frame] = field(default_factory=list)


def read(text: Text) -> Iterator[PythonStack]:
    stacks: list[Stack] = []
    pid = tid = None
    for line in text.lines():
        row = line.text[:6000]
        if found := THREAD.match(row):
            tid = int(found[2])
        elif HEAD.match(row):
            stacks.append(Stack(line, tid))
        elif GIL.match(row):
            if not stacks or stacks[-1].frames:
                stacks.append(Stack(line, tid))
            stacks[-1].waits_for_gil = True
        elif LOCK.match(row):
            stacks = stacks or [Stack(line, tid)]
            stacks[-1].frames.append(Frame("acquire"))
        elif found := BUILT_IN.match(row):
            stacks = stacks or [Stack(line, tid)]
            stacks[-1].frames.append(Frame(found[1]))
        elif stacks and (found := FRAME.match(row)):
            stacks[-1].frames.append(Frame(found[3], short(found[1]), int(found[2])))
        elif found := PROCESS.search(row):
            pid = int(found[1] or found[2])
    for stack in stacks:
        yield PythonStack(
            source=source(text, stack.line),
            subject=Subject(pid=pid, tid=stack.tid),
            thread=f"Thread {stack.tid}" if stack.tid else "current thread",
            frames=tuple(stack.frames),
            holds_gil=False if stack.waits_for_gil else None,
        )


PARSER = Parser(
    tool="gdb py-bt",
    medium="python-stacks",
    footprint=footprint_of(HEAD, GIL, LOCK, BUILT_IN),
    read=read,
)
