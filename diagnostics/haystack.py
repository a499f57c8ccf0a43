"""A text that hundreds of patterns are about to be looked for in."""

from __future__ import annotations

import sys
from functools import cached_property

GRAM = 4  # characters
LONG_LINE = 1 << 17  # characters


class Haystack:
    """A text that footprints are looked for in.

    The middle of a line that is longer than `LONG_LINE` is not among it: no tool has its footprint only there, and
    one line of 10 MB must not be searched with every pattern there is.
    """

    def __init__(self, text: str) -> None:
        self.text = without_middles(text)

    @cached_property
    def lower(self) -> str:
        return self.text.lower()

    @cached_property
    def grams(self) -> frozenset[int]:
        """Every run of four characters in lower case, as numbers."""
        data = memoryview(_ascii(self.lower))
        found: set[int] = set()
        for start in range(GRAM):
            found.update(data[start : start + max(0, len(data) - start) // GRAM * GRAM].cast("I"))
        return frozenset(found)


def gram(word: str) -> int:
    """The number of a run of four characters, whatever their case."""
    return int.from_bytes(_ascii(word.lower()), sys.byteorder)


def _ascii(text: str) -> bytes:
    return text.encode("ascii", errors="replace")


def without_middles(text: str) -> str:
    """A text with only the first and last half of `LONG_LINE` characters of each longer line."""
    parts, begin, at = [], 0, 0
    while len(text) - at > LONG_LINE:
        end = text.rfind("\n", at, at + LONG_LINE + 1)
        if end >= 0:
            at = end + 1
            continue
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        parts.append(text[begin : at + LONG_LINE // 2])
        begin, at = end - LONG_LINE // 2, end + 1
    return "".join([*parts, text[begin:]]) if parts else text
