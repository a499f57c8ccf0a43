"""Stacks of all threads that a program prints of itself, out of `sys._current_frames()`.

    ----------   Thread 139967247700000 "saver" hangs   ----------
        File "/srv/app/save.py", line 12, in save
                with self.lock_a:

    # Thread: prefetch(139967247700000)
    File: "/srv/app/index.py", line 12, in lock_index
      self._lock.acquire()

The order is that of a traceback: the innermost frame comes last. Each thread has its heading and no exception below its
frames. The identity is the pthread's, not the kernel's, and the process is not named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.process import Frame, PythonStack
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source
from .faulthandler import short

# ----------   Thread 7592 "saver" hangs   ----------     # ThreadID: 139967247700000
# Thread: prefetch(139967247700000)     # Thread: (139967247700000)
HEAD = re.compile(
    r"^(?:-{3,40} {1,20}Thread (?P<hangs>\d{1,20})(?: \"(?P<called>[^\"]{1,80})\")? hangs\b"
    r"|#{1,4} ?Thread(?: ?ID)?: ?(?:(?P<name>[^()\n]{0,80}?) ?\((?P<of>\d{1,20})\)|(?P<bare>\d{1,20}))\s*$)"
)
# 	File "/srv/app/save.py", line 12, in save        File: "/srv/app/save.py", line 12, in save
FRAME = re.compile(r'^\s{0,8}File:? "([^"]{1,1000})", line (\d{1,8}), in (\S.{0,300}?)\s*$')
LIMIT = 400  # lines of one stack


def read(text: Text) -> Iterator[PythonStack]:
    for head in text.matching(HEAD):
        found = HEAD.match(head.text[:400])
        if found is None:
            continue
        frames, code = _frames(text, head)
        number = next(int(found[name]) for name in ("hangs", "of", "bare") if found[name])
        if frames:
            yield PythonStack(
                source=source(text, head),
                subject=Subject(tid=number),
                thread=found["called"] or found["name"] or f"Thread {number}",
                frames=tuple(reversed(frames)),
                active=False if found["hangs"] else None,
                code=code,
            )


def _frames(text: Text, head: Line) -> tuple[list[Frame], str | None]:
    """The frames below a heading, a line of each and the line of code below it, and the last such line."""
    frames: list[Frame] = []
    code: str | None = None
    below = False
    for line in text.after(head, LIMIT):
        if found := FRAME.match(line.text[:1500]):
            frames.append(Frame(found[3], short(found[1]), int(found[2])))
            below, code = True, None
        elif below and line.text.strip() and not HEAD.match(line.text[:400]) and not line.text.startswith("---"):
            below, code = False, line.text[:300].strip()
        else:
            break
    return frames, code


PARSER = Parser(
    tool="sys._current_frames",
    medium="python-stacks",
    footprint=footprint_of(HEAD),
    read=read,
)
