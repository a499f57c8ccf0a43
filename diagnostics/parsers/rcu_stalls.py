"""The kernel's RCU stall detector.

    rcu: INFO: rcu_preempt self-detected stall on CPU
    rcu:     1-...!: (3 GPs behind) idle=19a/1/0x4000000000000002 softirq=12356/12357 fqs=2
    rcu:      (t=10500 jiffies g=12045 q=155)
    NMI backtrace for cpu 1
    ...
    rcu: INFO: rcu_sched detected stalls on CPUs/tasks:
    rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 3-.... } 21003 jiffies s: 513 root: 0x8/.

The stack of the grace-period kthread, which only waits, is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity
from ..evidence.kernel import RcuStall
from ..text import Text
from . import Parser
from ._kernel_log import kernel_log, subject
from ._stall import culprit

FOOTPRINT = r"INFO: rcu\w* (?:self-)?detected (?:expedited )?stalls? on"

# rcu:     1-...!: (3 GPs behind) idle=19a/1/0x4000000000000002
CPU = re.compile(r"^(?:rcu: ?)?\s+(\d{1,5})-[-.!?ODoN]{1,8}:? ")
# INFO: rcu_sched detected stall on CPU 2 (t=...    detected expedited stalls on CPUs/tasks: { 3-.... P1234 }
NAMED = re.compile(r"stall on CPU (\d{1,5})|[{ ](\d{1,5})-[-.ODoN]{3,5} ")


def read(text: Text) -> Iterator[Evidence]:
    log = kernel_log(text)
    for line, message in log.matching(PARSER.pattern):
        below = [found.message for _, found in log.report(line, limit=12)]
        cpus = [found[1] or found[2] for found in NAMED.finditer(message.message[:1000])]
        cpus += [found[1] for text_ in below if (found := CPU.match(text_))]
        function, stack = culprit(log, line)
        yield RcuStall(
            source=log.source(line),
            subject=subject(message),
            stamp=message.stamp,
            severity=Severity.CRITICAL,
            cpus=tuple(dict.fromkeys(map(int, cpus))),
            function=function,
            frames=stack,
        )


PARSER = Parser(tool="the kernel's RCU stall detector", medium="kernel-log", footprint=FOOTPRINT, read=read)
