"""`supervisorctl status`: programs and whether supervisord believes that they run.

    worker_0                         RUNNING   pid 2807, uptime 23:04:11
    worker_1                         FATAL     Exited too quickly (process log may have details)

RUNNING means that the process exists, not that it does anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..durations import seconds
from ..evidence import Evidence, Severity
from ..evidence.process import ProcessState
from ..evidence.supervisor import ProcessEnded
from ..text import Text
from . import Parser
from ._job_lines import messages

ROW = re.compile(
    r"^([\w.:@-]{1,120})\s{1,60}(RUNNING|STARTING|STOPPED|STOPPING|EXITED|FATAL|BACKOFF|UNKNOWN)\b\s{0,20}(.{0,300})$"
)
UP = re.compile(r"^pid (\d{1,9}), uptime (?:(\d{1,5}) days?, )?(\d{1,4}:\d\d:\d\d)")
ENDED = ("EXITED", "FATAL", "BACKOFF")


def read(text: Text) -> Iterator[Evidence]:
    for message in messages(text, ROW):
        if not (row := ROW.match(message.text)):
            continue
        program, state, detail = row.groups()
        if up := UP.match(detail):
            facts = message.facts(text, pid=int(up[1]), job=program)
            elapsed = (seconds(up[3]) or 0.0) + 86400.0 * int(up[2] or 0)
            yield ProcessState(**facts, state=None, elapsed_s=elapsed, command=program)
        elif state in ENDED:
            facts = message.facts(text, job=program)
            yield ProcessEnded(**facts, severity=Severity.WARNING, status=None, text=f"{state} {detail}".strip())


PARSER = Parser(
    tool="supervisorctl status",
    medium="some-processes",
    footprint=r"^[\w.:@-]{1,120}\s{1,60}(RUNNING\s{1,20}pid \d|FATAL\s|BACKOFF\s|EXITED\s|STOPPED\s)",
    read=read,
)
