"""Tasks that the kernel listed with their stacks: SysRq-w and SysRq-t, or a report of the hung-task detector without
its head.

    task:python3         state:D stack:    0 pid:15277 ppid: 15257 flags:0x00000002
    Call Trace:
     __mutex_lock.constprop.0+0x263/0x490
     uvm_ioctl+0x13e0/0x16f0 [nvidia_uvm]

Kernels before 5.11 wrote the task's line without its names:

    kworker/u64:1   D ffff8817f2d1bc38     0  2217      2 0x00000000

Only tasks in D are read: a dump lists hundreds that sleep as they should. A task below the hung-task detector's own
head is read by `hung_tasks`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..envelope import Envelope
from ..evidence import Severity
from ..evidence.process import ThreadState
from ..text import Line, Text
from . import Parser
from ._call_trace import doubtful, frame, waiting_function
from ._kernel_log import KernelLog, kernel_log, subject

# task:python3         state:D stack:    0 pid:15277 tgid:15277 ppid: 15257 flags:0x00000002
TASK = re.compile(
    r"^task:(?P<comm>.{1,64}?) +state:D .{0,60}?\bpid: ?(?P<tid>\d{1,10})(?: +tgid: ?(?P<pid>\d{1,10}))?"
    r"(?:\s+ppid: ?(?P<parent>\d{1,10}))?"
)
# kworker/u64:1   D ffff8817f2d1bc38     0  2217      2 0x00000000      bash            D    0  4121   4120 0x80000080
OLD_TASK = re.compile(
    r"^(?P<comm>\S.{0,15}?)\s+D (?:[0-9a-f]{16} {1,8}|\s{0,8})\d{1,7} {1,8}(?P<tid>\d{1,10}) {1,8}"
    r"(?P<parent>\d{1,10}) 0x[0-9a-f]{8}\s*$"
)
ANY_TASK = re.compile(r"^task:|^\S.{0,15}\s+[RSDTtXZI]\s.{0,60}0x[0-9a-f]{8}$|^INFO: task |^BUG: |^sysrq: ")
HEAD = re.compile(r"INFO: task .{1,64}:\d+ ")
NEAR = 4  # lines from the detector's head to its task's line


def read(text: Text) -> Iterator[ThreadState]:
    log = kernel_log(text)
    for line, message in log.matching(PARSER.pattern):
        found = TASK.match(message.message) or OLD_TASK.match(message.message)
        if found and not any(HEAD.search(above.text) for above in text.before(line, limit=NEAR)):
            yield _task(log, line, message, found)


def _task(log: KernelLog, line: Line, message: Envelope, found: re.Match[str]) -> ThreadState:
    stack: list[str] = []
    remnants: list[str] = []
    for _, below in log.report(line, limit=250):
        if ANY_TASK.search(below.message):
            break
        if name := frame(below.message):
            stack.append(name)
        elif name := doubtful(below.message):
            remnants.append(name)
    stack = stack or remnants
    tid = int(found["tid"])
    return ThreadState(
        source=log.source(line),
        subject=subject(message, comm=found["comm"], pid=int(found.groupdict().get("pid") or tid), tid=tid),
        stamp=message.stamp,
        severity=Severity.WARNING,
        state="D",
        parent_pid=int(found["parent"]) if found["parent"] else None,
        frames=tuple(stack),
        function=waiting_function(stack),
    )


PARSER = Parser(
    tool="the kernel's list of tasks",
    medium="kernel-log",
    footprint=r"task:.{1,64} state:D .{0,60}\bpid: ?\d|\sD "
    r"(?:[0-9a-f]{16} {1,8}|\s{0,8})\d{1,7} {1,8}\d{1,10} {1,8}\d{1,10} 0x[0-9a-f]{8}\s*$",
    read=read,
)
