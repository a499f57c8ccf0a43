"""`bt` of the crash utility and of drgn: the kernel stack of a task, in a dump or in the running kernel.

    PID: 147220  TASK: ffff8968e5305c40  CPU: 32  COMMAND: "mv"
     #0 [ffff9e33ab0cf720] __schedule at ffffffff85ea5103
     #1 [ffff9e33ab0cf7b8] xfs_buf_lock at ffffffffc0456fa7 [xfs]

`bt -t` prints the same without numbers. A task is taken to be in D where its innermost frames are a wait that no signal
ends; registers and the frames of user space are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.process import ThreadState
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._call_trace import waiting_function
from ._snapshot import source

TASK = re.compile(r'^PID: (\d{1,10})\s+TASK: [0-9a-f]{8,16}\s+CPU: \d{1,5}\s+COMMAND: "([^"]{1,64})"')
FRAME = re.compile(r"^\s{0,8}(?:#\d{1,3} )?\[[0-9a-f]{8,16}\] ([A-Za-z_][\w.]{0,200}) at [0-9a-f]{8,16}\b")
# a wait that a signal ends says so in its name
MAY_BE_ENDED = re.compile(
    r"interruptible|killable|^(?:futex|do_futex|ep_poll|poll_schedule|do_wait|pipe_|hrtimer|do_nanosleep)"
)
BLOCKED = re.compile(
    "^_*down(?:_|$)|rwsem_down|mutex_lock|io_schedule|wait_on_|wait_for_completion|_buf_lock$|folio_wait"
    "|wait_transaction"
)
INNERMOST = 8
LIMIT = 200  # lines of one stack


def read(text: Text) -> Iterator[ThreadState]:
    for line in text.lines():
        if found := TASK.match(line.text[:300]):
            stack = _stack(text, line)
            blocked = any(BLOCKED.search(name) for name in stack[:INNERMOST])
            blocked = blocked and not any(MAY_BE_ENDED.search(name) for name in stack[:INNERMOST])
            yield ThreadState(
                source=source(text, line),
                subject=Subject(pid=int(found[1]), tid=int(found[1]), comm=found[2]),
                severity=Severity.WARNING if blocked else Severity.INFO,
                state="D" if blocked else None,
                frames=tuple(stack),
                function=waiting_function(stack),
            )


def _stack(text: Text, line: Line) -> list[str]:
    stack = []
    for below in text.after(line, limit=LIMIT):
        if TASK.match(below.text[:300]):
            break
        if frame := FRAME.match(below.text[:300]):
            stack.append(frame[1].split(".", 1)[0])
    return stack


PARSER = Parser(
    tool="crash",
    medium="kernel-stacks",
    footprint=footprint_of(TASK),
    read=read,
)
