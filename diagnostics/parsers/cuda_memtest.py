"""cuda_memtest: the errors that a test of a GPU's memory found.

    [01/23/2016 13:52:41][n1][0]:ERROR: 117 errors found in Test4 [Moving inversions, random pattern] on device 0

What it says of its progress is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.gpu import GpuDiagnostic
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._snapshot import source

# ERROR: 117 errors found in Test4 [Moving inversions, random pattern] on device 0
FOUND = re.compile(r"\bERROR: (\d{1,12}) errors found in (?:block )?(Test\d{1,2})\b")
DEVICE = re.compile(r"\bdevice (\d{1,3})\b|\]\[(\d{1,3})\]:ERROR")


def read(text: Text) -> Iterator[GpuDiagnostic]:
    for line in text.lines():
        row = line.text[:600]
        if (found := FOUND.search(row)) and int(found[1]):
            device = DEVICE.search(row)
            yield GpuDiagnostic(
                source=source(text, line),
                subject=Subject(gpu=int(device[1] or device[2]) if device else None),
                severity=Severity.CRITICAL,
                test=f"memtest {found[2]}",
                outcome="fail",
                text=found[0],
            )


PARSER = Parser(tool="cuda_memtest", medium="gpu", footprint=footprint_of(FOUND), read=read)
