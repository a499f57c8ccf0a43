"""Waits for the lock file of an extension build where no stack dump shows them: what pytest prints of a Ctrl-C, and
bare frames.

    .../torch/utils/file_baton.py:50: KeyboardInterrupt
    File ".../torch/utils/file_baton.py", line 50 in wait

Of each artefact the first is kept. With a thread's or a traceback's own heading above them such frames are read by
other parsers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.process import Frame, PythonStack
from ..footprint import footprint_of
from ..text import Text
from . import Parser

WAITS = re.compile(
    r"(?:^|[\s\"'^])(?P<file>[\w./-]{0,400}file_baton\.py)"
    r"(?::(?P<at>\d{1,5}): KeyboardInterrupt|\"?, line (?P<line>\d{1,5}),? in wait\b)"
)
HEADED = re.compile(r"^\s{0,8}(?:Traceback \(|Thread 0x|Current thread 0x)", re.M)


def read(text: Text) -> Iterator[PythonStack]:
    for line in text.lines():
        found = WAITS.search(line.text[:1000])
        if found and not any(HEADED.search(each.text) for each in text.before(line, 60)):
            yield PythonStack(
                source=Source(text.name, line.number, line.quote),
                thread="MainThread",
                frames=(Frame("wait", found["file"], int(found["at"] or found["line"])),),
                active=False,
                interrupted=True,
            )
            return


PARSER = Parser(
    tool="a wait for an extension's build",
    medium="python-stacks",
    footprint=footprint_of(WAITS),
    read=read,
)
