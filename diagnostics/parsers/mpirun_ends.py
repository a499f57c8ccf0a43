"""mpirun's word on the process that ended first: Open MPI's box, with a status.

    mpirun detected that one or more processes exited with non-zero status, thus causing
    the job to be terminated. The first process to do so was:

      Process name: [[40112,1],5]
      Exit code:    1

The last number of a process's name is its rank. Where the box is torn nothing is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.supervisor import LauncherFailure
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._snapshot import source

BOX = re.compile(
    r"\b(?:mpirun|mpiexec|orterun|prterun) detected that one or more processes exited with non-zero status\b"
)
NAME = re.compile(r"\bProcess name: \[\[[^\[\]]{1,60}\],(?P<rank>\d{1,6})\]")
STATUS = re.compile(r"\bExit code:\s{1,8}(?P<status>-?\d{1,5})\b")
LINES = 8


def read(text: Text) -> Iterator[LauncherFailure]:
    for line in text.lines():
        if not BOX.search(line.text[:600]):
            continue
        below = [each.text[:300] for each in text.after(line, limit=LINES)]
        name = next((found for row in below if (found := NAME.search(row))), None)
        status = next((found for row in below if (found := STATUS.search(row))), None)
        if name and status:
            yield LauncherFailure(
                source=source(text, line),
                subject=Subject(rank=int(name["rank"])),
                severity=Severity.CRITICAL,
                first=True,
                exit_code=int(status["status"]),
                error_text="",
            )


PARSER = Parser(
    tool="mpirun's ends",
    medium="job-log",
    footprint=footprint_of(BOX),
    read=read,
)
