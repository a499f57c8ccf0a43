"""Processes that died in their own code, as the kernel reports them.

python[4242]: segfault at 0 ip 00007f2c sp 00007ffd error 4 in libcuda.so.535.104.05[7f2c+1000]
traps: python[4242] general protection fault ip:7f2c sp:7ffd error:0 in libc.so.6[7f2c+1000]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.kernel import Segfault
from ..text import Text
from . import Parser
from ._kernel_log import kernel_log

FOOTPRINT = r"\[\d{1,10}\]: segfault at [0-9a-f]+ ip|traps: .{1,32}\[\d{1,10}\] (?:general protection|trap )"

# python[4242]: segfault at 0 ip 00007f2c sp 00007ffd error 4 in libcuda.so.535.104.05[7f2c+1000]
SEGFAULT = re.compile(r"(?:^|: )([^\[\]]{1,32})\[(\d{1,10})\]: segfault at ")
# traps: python[4242] general protection fault ip:7f2c sp:7ffd error:0 in libc.so.6[7f2c+1000]
TRAP = re.compile(r"traps: (.{1,32}?)\[(\d{1,10})\] (?:general protection|trap )")
LIBRARY = re.compile(r" in ([^\s\[]{1,200})\[[0-9a-f]+")


def read(text: Text) -> Iterator[Segfault]:
    log = kernel_log(text)
    for line, message in log.matching(PARSER.pattern):
        if found := TRAP.search(message.message) or SEGFAULT.search(message.message):
            library = LIBRARY.search(message.message)
            yield Segfault(
                source=log.source(line),
                subject=Subject(host=message.host, comm=found[1], pid=int(found[2])),
                stamp=message.stamp,
                severity=Severity.WARNING,
                library=library[1] if library else None,
            )


PARSER = Parser(tool="the kernel's report of a crashed process", medium="kernel-log", footprint=FOOTPRINT, read=read)
