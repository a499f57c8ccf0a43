"""The kernel's lockup detectors.

watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [python:4242]
Modules linked in: ...
CPU: 3 PID: 4242 Comm: python Not tainted 6.8.0
RIP: 0010:smp_call_function_many+0x8d5/0xb10
Call Trace:
 ...
NMI watchdog: Watchdog detected hard LOCKUP on cpu 5
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity
from ..evidence.kernel import HardLockup, SoftLockup
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._kernel_log import kernel_log, subject
from ._stall import culprit

# watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [python:4242]
SOFT = re.compile(r"BUG: soft lockup - CPU#(\d{1,5}) stuck for (\d{1,10})s!(?: \[(.{1,64}?):(\d{1,10})\])?")
# NMI watchdog: Watchdog detected hard LOCKUP on cpu 5    watchdog: CPU 3 detected hard LOCKUP on other CPUs 5
HARD = re.compile(
    r"(?:CPU (\d{1,5}) self-detected hard LOCKUP|[Hh]ard LOCKUP on (?:other CPUs|cpu) ?(\d{1,5})"
    r"|Watchdog CPU:(\d{1,5}) Hard LOCKUP)"
)


def read(text: Text) -> Iterator[Evidence]:
    log = kernel_log(text)
    for line, message in log.matching(PARSER.pattern):
        if soft := SOFT.search(message.message):
            function, stack = culprit(log, line)
            cpu, stuck_s, comm, pid = soft.groups()
            yield SoftLockup(
                source=log.source(line),
                subject=subject(message, comm=comm, pid=int(pid) if pid else None),
                stamp=message.stamp,
                severity=Severity.CRITICAL,
                cpu=int(cpu),
                stuck_s=float(stuck_s),
                function=function,
                frames=stack,
            )
        elif hard := HARD.search(message.message):
            function, stack = culprit(log, line)
            yield HardLockup(
                source=log.source(line),
                subject=subject(message),
                stamp=message.stamp,
                severity=Severity.FATAL,
                cpu=int(hard[1] or hard[2] or hard[3]),
                function=function,
                frames=stack,
            )


PARSER = Parser(
    tool="the kernel's lockup detectors", medium="kernel-log", footprint=footprint_of(SOFT, HARD), read=read
)
