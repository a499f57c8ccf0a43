"""Which of the stacks that follow a lockup or stall report is the culprit's.

Such a report dumps several: the CPU that noticed, often inside the timer interrupt that noticed it; the other
CPUs; the RCU grace-period kthread, which only waits for the culprit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..envelope import Envelope, unwrap
from ..text import Line
from ._call_trace import frame, interrupted, is_user_mode, running_function
from ._kernel_log import KernelLog

_LINES = 400
# CPU: 1 PID: 8314 Comm: syz-executor2     NMI backtrace for cpu 1     task:syz.0 state:R     syz-executor5   R  running
# task
_STACK_OF = re.compile(
    r"^\s*(?:CPU: \d|NMI backtrace for cpu|Task dump for CPU|task:\S|Sending NMI|.{1,20} [RSD]  running task|"
    r".{0,80}kthread stack dump)"
)
_WAITING_KTHREAD = re.compile(r"kthread stack dump|^\s*(?:task:)?rcu_\w+ ")
_GRACE_PERIOD = re.compile(r"rcu_gp_\w+$")
_NEXT_REPORT = re.compile(
    r"INFO: task .{1,64} blocked|BUG: soft lockup|hard LOCKUP on|INFO: rcu\w* (?:self-)?detected|"
    r"Linux version \d"
)


def culprit(log: KernelLog, header: Line) -> tuple[str | None, tuple[str, ...]]:
    """The guilty function and its stack, innermost first; (None, ()) where the log is torn before any frame."""
    for stack in _stacks(log, header):
        if function := running_function(interrupted(stack)):
            return function, tuple(stack)
    return None, ()


def _stacks(log: KernelLog, header: Line) -> list[list[str]]:
    """The stacks of the report in their order, one printk caller each, without the waiting kthread's."""
    stacks: list[list[str]] = []
    current: dict[str | None, list[str]] = {}  # by caller
    for found in _report(log, header):
        if _STACK_OF.match(found.message):
            current[found.caller] = []
            if not _WAITING_KTHREAD.search(found.message):
                stacks.append(current[found.caller])
        elif is_user_mode(found.message):
            current.pop(found.caller, None)
        elif name := frame(found.message):
            if found.caller not in current:  # torn: the heading is lost
                current[found.caller] = []
                stacks.append(current[found.caller])
            current[found.caller].append(name)
    return [stack for stack in stacks if stack and not any(map(_GRACE_PERIOD.match, stack))]


def _report(log: KernelLog, header: Line) -> Iterator[Envelope]:
    """The messages up to the next report; other CPUs' backtraces belong to it, whoever printed them."""
    for line in log.text.after(header, _LINES):
        found = unwrap(line.text)
        if _NEXT_REPORT.search(found.message):
            return
        yield found
