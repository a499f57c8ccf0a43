"""MemTest86 and Memtest86+, tests of the host's memory that are booted: the words that they read back wrong.

    Failing address: 0001b2d7c40 -  6954.8MB  Good: 00000400  Bad: 00000000  Err-Bits: 00000400  Count: 3
    [MEM ERROR - Data] Test: 5, CPU: 0, Address: 2C1F3A0E8, Expected: FFFFFFFF, Actual: FFFFFEFF

What is skipped: the passes, and rows in which both words are alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.kernel import HostMemoryError
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._memory_tests import failure

# Address: 2C1F3A0E8, Expected: FFFFFFFF, Actual: FFFFFEFF      0x1f30a4c118  good 0x5a5a5a5a bad 0x5a5a5a7a
ERROR = re.compile(
    r"(?i)\b(?:failing address|address|addr|0x[0-9a-f]{6,16})\b.{0,40}?\b(?:good|expected)[: =]{1,3}(?:0x)?"
    r"(?P<good>[0-9a-f]{8,16})\b.{0,6}\b(?:bad|actual|found)[: =]{1,3}(?:0x)?(?P<bad>[0-9a-f]{8,16})\b"
)


def read(text: Text) -> Iterator[HostMemoryError]:
    for line in text.matching(ERROR):
        found = ERROR.search(line.text[:400])
        if found and found["good"].lower() != found["bad"].lower():
            yield failure(text, line)


PARSER = Parser(tool="MemTest86", medium="listing", footprint=footprint_of(ERROR), read=read)
