"""Any kernel log: over which time it speaks.

    [ 4083.414114] usb 1-1: new high-speed USB device number 5
    Mar  4 07:19:10 trn07 kernel: usb 1-1: new high-speed USB device number 5

A kernel log in which nothing is wrong is evidence too: that the OOM killer was not at work. Its first and its last
line with a time are the facts.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import KernelLogSpan
from ..text import Text
from . import Parser
from ._kernel_log import kernel_log

FOOTPRINT = (
    r"^(?:<\d{1,3}>)?\[ *\d{1,8}\.\d{6}\](?:\s?\[ *[TC] *\d+\])? \S"
    r"|^kern +:\w{3,6} *: "
    r"|^(?:\[[A-Z][a-z]{2} {0,2}\d{1,2} \d\d:\d\d\]|\[ *[+<] *\d+\.\d{6}>?\]) \S"
    r"|^\[[A-Z][a-z]{2} [A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d \d{4}\] \S"
    r"|^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{6}[+-]\d\d:\d\d \S"
    r"|^.{8,120} kernel(?:: | - - - )\S"
    r'|^\s*"dmesg": \['
    r'|"_TRANSPORT" ?: ?"kernel"'
    r"|^\d{1,4},\d{1,12},\d{1,16},[-c+][^;]{0,200};"
)
_LINES = 200


def read(text: Text) -> Iterator[KernelLogSpan]:
    log = kernel_log(text)
    for edge, lines in (("first", text.first(_LINES)), ("last", text.last(_LINES))):
        for line in lines:
            message = log.message(line)
            if message.stamp is not None and (message.program or "kernel") == "kernel":
                yield KernelLogSpan(
                    source=log.source(line), subject=Subject(host=message.host), stamp=message.stamp, edge=edge
                )
                break


PARSER = Parser(tool="the kernel's log", medium="kernel-log", footprint=FOOTPRINT, read=read)
