"""A dump of a Go program's goroutines, as `SIGQUIT`, a panic or `/debug/pprof/goroutine?debug=2` prints it.

    goroutine 81772 [syscall, 4310 minutes]:
    syscall.Syscall(0x89, 0xc4206a2f20, 0xc4208b7a10, 0x0, 0x0, 0x0, 0x0)
            /usr/local/go/src/syscall/asm_linux_amd64.s:18 +0x5
    syscall.Statfs(0xc42043e8a0, 0x11, 0xc4208b7a10, 0x0, 0x0)

Exporters, mount helpers and container runtimes are written in Go. Only those that have been in one system call for a
minute or more are told; whoever waits for a channel or a lock of Go's is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.process import SystemCall
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._snapshot import source

WAITS = re.compile(r"^goroutine (\d{1,12}) \[syscall, (\d{1,9}) minutes(?:, locked to thread)?\]:")
CALL = re.compile(r"^(?:syscall|golang\.org/x/sys/unix|os)\.(?:\(\*?\w{1,20}\)\.)?([A-Za-z]\w{1,30})\(")
RAW = ("syscall", "syscall6", "rawsyscall", "rawsyscall6")
DEPTH = 12  # lines below the heading


def read(text: Text) -> Iterator[SystemCall]:
    for line in text.matching(WAITS):
        found = WAITS.match(line.text)
        below = (CALL.match(each.text) for each in text.after(line, limit=DEPTH))
        names = [call[1].lower() for call in below if call]
        name = next((name for name in names if name not in RAW), None)
        if found and name:
            yield SystemCall(
                source=source(text, line),
                subject=Subject(),
                severity=Severity.WARNING,
                name=name,
                arguments="",
                duration_s=60.0 * int(found[2]),
                unfinished=True,
            )


PARSER = Parser(
    tool="Go's goroutine dump",
    medium="system-calls",
    footprint=footprint_of(WAITS),
    read=read,
)
