"""A daemon's own words in the system log that hold the text of an errno of files, space or descriptors.

    Nov 10 22:01:14 cs03 mfschunkserver[19456]: failed assertion 'pipe2(fds, O_NONBLOCK) != -1', error: EMFILE (Too many open files)
    Mar 04 07:31:02 n07 dockerd[1188]: write /var/lib/docker/overlay2/x/diff/tmp/y: no space left on device

Lines that another parser has read are told there, and the kernel's are the kernel parsers'.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.storage import ToolError
from ..text import Text
from . import Parser
from ._errno import errno_in
from ._job_lines import messages

TEXTS = (
    "No space left on device|Disk quota exceeded|Read-only file system|Too many open files|Input/output error|Stale file handle"
    "|Stale NFS file handle|Transport endpoint is not connected|Structure needs cleaning|Remote I/O error|Host is down"
    "|Cannot send after transport endpoint shutdown"
)
TOLD = re.compile(rf"(?i:{TEXTS})")
PATH = re.compile(r"(?:^|[\s'\"(=])(/[^\s'\":,;)]{1,400})")


def read(text: Text) -> Iterator[ToolError]:
    for message in messages(text, TOLD):
        if message.program in (None, "kernel") or not TOLD.search(message.text):
            continue
        path = PATH.search(message.text)
        yield ToolError(
            **message.facts(text, path=path[1] if path else None),
            severity=Severity.WARNING,
            tool=message.program or "",
            error=errno_in(message.text),
            text=message.text[:500],
        )


PARSER = Parser(
    tool="a daemon in the system log",
    medium="system-log",
    footprint=rf"[\w.-]{{2,60}}(\[\d{{1,9}}\])?: .{{0,2000}}(?i:{TEXTS})",
    read=read,
    claims="untold",
)
