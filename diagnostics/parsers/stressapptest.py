"""stressapptest (GSAT): words of the host's memory that were read back otherwise than they had been written.

    16:51:37 Report Error: miscompare : DIMM Unknown : 1 : 60507s
    16:51:37 Hardware Error: miscompare on CPU 0(0x3) at 0xb0629a60: read:0x42020000, reread:0x42020000 expected:0x0

What is skipped: its statistics, and `Status: PASS`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.kernel import HostMemoryError
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._memory_tests import failure

# Hardware Error: miscompare on CPU 1(0x3) at 0xb5548220: read:0xa5, reread:0xa5 expected:0x5a
MISCOMPARE = re.compile(
    r"\b(?:Hardware|Report) Error: miscompare "
    r"(?:on CPU \d{1,4}\b.{0,20} at 0x[0-9a-f]{1,16}\b|: DIMM .{1,60} : \d{1,9} : )"
)


def read(text: Text) -> Iterator[HostMemoryError]:
    for line in text.matching(MISCOMPARE):
        if MISCOMPARE.search(line.text[:400]):
            yield failure(text, line)


PARSER = Parser(tool="stressapptest", medium="listing", footprint=footprint_of(MISCOMPARE), read=read)
