"""The kernel's hung-task detector.

    INFO: task python:27966 blocked for more than 120 seconds.
          Not tainted 6.18.44 #1
    "echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.
    task:python          state:D stack:0     pid:27966 tgid:27952 ppid:27900  task_flags:0x400000 flags:0x00080001
    Call Trace:
     __schedule+0x3cc/0xf50
     ...

The header names a thread; the `task:` line below it has the thread group where the kernel is new enough. What
is skipped: the list of held locks and the other CPUs' backtraces that some kernels add.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..envelope import Envelope
from ..evidence import Evidence, Severity
from ..evidence.kernel import HungTask, HungTaskReportsEnded
from ..text import Line, Text
from . import Parser
from ._call_trace import doubtful, frame, is_user_mode, waiting_function
from ._kernel_log import KernelLog, kernel_log, subject

FOOTPRINT = r"INFO: task .{1,64}:\d+ (?:blocked|can't die)|Future hung task reports are suppressed"

# INFO: task udevd:5612 blocked in I/O wait for more than 143 seconds.
# INFO: task dd:811 can't die for more than 143 seconds.
HEADER = re.compile(
    r"INFO: task (.{1,64}?):(\d{1,10}) (blocked|blocked in I/O wait|can't die) for more than (\d{1,10}) seconds"
)
# Future hung task reports are suppressed, see sysctl kernel.hung_task_warnings
ENDED = "Future hung task reports are suppressed"
# task:python          state:D stack:0     pid:30312 tgid:29796 ppid:29785  task_flags:0x40044c flags:0x00080003
TASK = re.compile(r"^task:.{1,64}? +state:(\w) .{0,60}?\bpid: ?(\d{1,10})(?: +tgid: ?(\d{1,10}))?")
# Showing all locks held in the system:     NMI backtrace for cpu 1
OTHER_REPORT = re.compile(r"INFO: task |Showing all locks held|NMI backtrace for cpu|BUG: |INFO: lockdep|Kernel panic")


def read(text: Text) -> Iterator[Evidence]:
    log = kernel_log(text)
    for line, message in log.matching(PARSER.pattern):
        if header := HEADER.search(message.message):
            yield _hung_task(log, line, message, header)
        elif ENDED in message.message:
            yield HungTaskReportsEnded(source=log.source(line), subject=subject(message), stamp=message.stamp)


def _hung_task(log: KernelLog, line: Line, message: Envelope, header: re.Match[str]) -> HungTask:
    comm, tid, how, blocked_s = header.groups()
    pid, stack, remnants = int(tid), [], []
    for _, below in log.report(line, limit=250):
        if OTHER_REPORT.search(below.message):
            break
        if (task := TASK.match(below.message)) and task[3] and task[2] == tid:
            pid = int(task[3])
        elif name := frame(below.message):
            stack.append(name)
        elif name := doubtful(below.message):
            remnants.append(name)
        elif stack and ("</TASK>" in below.message or is_user_mode(below.message)):
            break
    stack = stack or remnants
    return HungTask(
        source=log.source(line),
        subject=subject(message, comm=comm, pid=pid, tid=int(tid)),
        stamp=message.stamp,
        severity=Severity.CRITICAL,
        blocked_s=float(blocked_s),
        function=waiting_function(stack),
        frames=tuple(stack),
        io_wait="I/O wait" in how,
    )


PARSER = Parser(tool="the kernel's hung-task detector", medium="kernel-log", footprint=FOOTPRINT, read=read)
