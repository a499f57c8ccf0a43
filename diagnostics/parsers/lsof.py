"""`lsof` in its table form: -p PID, /dev/nvidia*, +D DIR.

    COMMAND     PID  USER   FD   TYPE DEVICE SIZE/OFF NODE NAME
    python3   21544 u1001   12u   CHR  195,0      0t0  459 /dev/nvidia0
    python3   21702 u1001  DEL    REG   0,25         3543 /dev/shm/torch_21702_166186690

Mapped files (mem, DEL) have no descriptor. A process that holds a GPU's device file is also named as a holder
of that GPU.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Stamp, Subject
from ..evidence.gpu import GpuProcess
from ..evidence.process import OpenFile
from ..evidence.storage import ToolError
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._errno import errno_in
from ._snapshot import source, stamp_before

HEADER = re.compile(r"^COMMAND +PID +(?:TID +)?(?:TASKCMD +)?(?:PPID +)?(?:USER|UID)? +FD +TYPE +DEVICE\b")
# python3   21544 u1001   12u   CHR  195,0      0t0  459 /dev/nvidia0
ROW = re.compile(
    r"^(\S{1,64}) +(\d{1,10}) +(?:(\d{1,10}) +(?:\S{1,32} +)?)?(?:\S{1,64} +)?"
    r"(cwd|rtd|txt|mem|DEL|NOFD|\d{1,9}[rwu-]?[ ]?[rRwWuUNxX]?)"
    r" +([a-zA-Z0-9]{3,9}) +(\d{1,6},\d{1,9}|0x[0-9a-f]{1,16})? .*? ([/\w*].*)$"
)
NAME = re.compile(r"^(.*?)( \(deleted\))?(?: \([^()]{1,200}\))?$")
GPU = re.compile(r"^/dev/nvidia(\d{1,3})$")
# lsof: WARNING: can't stat() fuse file system /workspace
WARNING = re.compile(r"^lsof: (?:WARNING: )?(can't stat\(\) (\S+) file system (/\S*).*)$")


def read(text: Text) -> Iterator[Evidence]:
    table = False
    stamp: Stamp | None = None
    holders: set[tuple[int, int]] = set()
    for line in text.lines():
        row = line.text[:5000].rstrip()
        if HEADER.match(row):
            table, stamp = True, stamp_before(text, line)
        elif found := WARNING.match(row):
            yield ToolError(
                source=source(text, line),
                subject=Subject(path=found[3]),
                severity=Severity.WARNING,
                tool="lsof",
                error=errno_in(row),
                text=found[1],
                operation="stat",
            )
        elif table and (found := ROW.match(row)):
            yield from told(text, line, found, stamp, holders)


def told(
    text: Text, line: Line, found: re.Match[str], stamp: Stamp | None, holders: set[tuple[int, int]]
) -> Iterator[Evidence]:
    comm, pid, _, descriptor, _, _, rest = found.groups()
    # size and inode stand before the name; a name begins with a slash or is the kernel's word for no file
    name = rest[rest.index("/") :] if "/" in rest else rest.split(None, 1)[-1]
    named = NAME.match(name)
    target, deleted = (named[1], bool(named[2])) if named else (name, False)
    gpu = GPU.match(target)
    if gpu and (int(pid), int(gpu[1])) not in holders:
        holders.add((int(pid), int(gpu[1])))
        yield GpuProcess(
            source=source(text, line),
            subject=Subject(pid=int(pid), comm=comm, gpu=int(gpu[1])),
            stamp=stamp,
            name=comm,
        )
    number = re.match(r"\d+", descriptor)
    yield OpenFile(
        source=source(text, line),
        subject=Subject(pid=int(pid), comm=comm, path=target if target.startswith("/") else None),
        stamp=stamp,
        descriptor=int(number[0]) if number else None,
        target=target,
        deleted=deleted or descriptor == "DEL",
        writable=bool(re.match(r"\d+[wu]", descriptor)),
    )


PARSER = Parser(
    tool="lsof",
    medium="open-files",
    footprint=footprint_of(HEADER, WARNING),
    read=read,
)
