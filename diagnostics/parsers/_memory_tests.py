"""What a program that tests the host's memory found: of each the line that tells it, as an uncorrected error."""

from __future__ import annotations

from ..evidence import Severity
from ..evidence.kernel import HostMemoryError
from ..text import Line, Text
from ._snapshot import source


def failure(text: Text, line: Line) -> HostMemoryError:
    """The fact of one line with a failure."""
    said = " ".join(line.text[:300].split())
    return HostMemoryError(source=source(text, line), severity=Severity.CRITICAL, corrected=False, count=1, text=said)
