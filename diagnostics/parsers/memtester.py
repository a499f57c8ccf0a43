"""memtester: the errors that a test of the host's memory found.

      Bit Flip            : FAILURE: 0x0000000000000040 != 0x0000000000000000 at offset 0x1f09c3a8.
      Bit Flip            : testing 121FAILURE

Tests that say ok are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.kernel import HostMemoryError
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._memory_tests import failure

#   Bit Flip            : FAILURE: 0x40 != 0x0 at offset 0x1f09c3a8.
FAILURE = re.compile(
    r"\bFAILURE: 0x[0-9a-f]{1,16} != 0x[0-9a-f]{1,16} at offset 0x[0-9a-f]{1,16}"
    r"|\b(?:Stuck Address|Random Value|Compare (?:XOR|SUB|MUL|DIV|OR|AND)|Sequential Increment|Solid Bits"
    "|Block Sequential|Checkerboard"
    r"|Bit Spread|Bit Flip|Walking (?:Ones|Zeroes)|8-bit Writes|16-bit Writes)\s{0,20}: "
    r"(?:testing {1,4}\d{1,4})?\s{0,4}FAILURE\b"
)


def read(text: Text) -> Iterator[HostMemoryError]:
    for line in text.lines():
        if FAILURE.search(line.text[:400]):
            yield failure(text, line)


PARSER = Parser(tool="memtester", medium="listing", footprint=footprint_of(FAILURE), read=read)
