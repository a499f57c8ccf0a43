"""`supervisorctl status`.

    worker_0                         RUNNING   pid 2807, uptime 23:04:11
    worker_1                         FATAL     Exited too quickly (process log may have details)

A process that supervisord calls RUNNING is one that has not exited: it may do nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.job import SchedulerEvent
from ..text import Text
from . import Parser
from ._snapshot import source

STATES = {
    "RUNNING": "other",
    "STARTING": "other",
    "STOPPING": "other",
    "BACKOFF": "restarted",
    "FATAL": "failed",
    "UNKNOWN": "other",
    "STOPPED": "cancelled",
    "EXITED": "completed",
}
# worker_0                         RUNNING   pid 2807, uptime 23:04:11
ROW = re.compile(rf"^([\w.:-]{{1,80}}) +({'|'.join(STATES)})(?: +(\S.{{0,200}}))?\s*$")
PID = re.compile(r"^pid (\d{1,10}), uptime ")


def read(text: Text) -> Iterator[SchedulerEvent]:
    for line in text.lines():
        if found := ROW.match(line.text[:400]):
            name, state, detail = found.groups()
            pid = PID.match(detail or "")
            yield SchedulerEvent(
                source=source(text, line),
                subject=Subject(job=name, pid=int(pid[1]) if pid else None),
                severity=Severity.WARNING if state in ("BACKOFF", "FATAL") else Severity.INFO,
                system="supervisor",
                about=STATES[state],
                text=f"{state} {detail or ''}".strip(),
            )


PARSER = Parser(
    tool="supervisorctl status",
    medium="scheduler",
    footprint=r"^[\w.:-]{1,80} +(RUNNING +pid \d+, uptime |(FATAL|BACKOFF|STOPPED|EXITED) {2,40}\S)",
    read=read,
)
