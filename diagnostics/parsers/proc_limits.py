"""/proc/PID/limits, and `prlimit`.

    Limit                     Soft Limit           Hard Limit           Units
    Max open files            170                  170                  files

    RESOURCE   DESCRIPTION                             SOFT      HARD UNITS
    NOFILE     max number of open files                1024   1048576 files

All limits are read; the process is named by a heading (`/proc/N/limits`, `== pid N`) where there is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.process import ResourceLimit
from ..text import Text
from . import Parser
from ._snapshot import source

# Max open files            170                  170                  files
ROW = re.compile(r"^Max ([a-z][a-z ]{2,24}[a-z]) +(\d{1,20}|unlimited) +(\d{1,20}|unlimited)(?: +[a-z]+)? *$")
# NOFILE     max number of open files                1024   1048576 files
PRLIMIT = re.compile(
    r"^([A-Z]{2,10}) +[A-Za-z][A-Za-z' ]{2,40}? +(\d{1,20}|unlimited) +(\d{1,20}|unlimited)(?: [a-z]+)? *$"
)
NAMES = {
    "NOFILE": "open files",
    "NPROC": "processes",
    "MEMLOCK": "locked memory",
    "STACK": "stack size",
    "AS": "address space",
}
OWNER = re.compile(r"^=+ pid (\d{1,10})\b|/proc/(\d{1,10})/limits\b")


def read(text: Text) -> Iterator[ResourceLimit]:
    pid: int | None = None
    for line in text.lines():
        row = line.text[:300]
        if found := ROW.match(row) or PRLIMIT.match(row):
            soft, hard = (None if value == "unlimited" else int(value) for value in found.group(2, 3))
            yield ResourceLimit(
                source=source(text, line),
                subject=Subject(pid=pid),
                resource=NAMES.get(found[1], found[1].lower()),
                soft=soft,
                hard=hard,
            )
        elif found := OWNER.search(row):
            pid = int(found[1] or found[2])


PARSER = Parser(
    tool="/proc/PID/limits",
    medium="settings",
    footprint="^RESOURCE +DESCRIPTION +SOFT|^Limit {5,60}Soft Limit"
    r"|^Max [a-z]{2,20} [a-z ]{2,40}(\d{1,20}|unlimited) {1,40}(\d|unlimited)",
    read=read,
)
