"""What a text is worded in: the runs of three to five characters of its words, without case and numbers.

Two prints of one tool differ in their pids, times and addresses, and a new version in a word or a path; most of the
runs stay. Source: Cavnar and Trenkle, N-Gram-Based Text Categorization (1994).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

SIZES = (3, 4, 5)  # characters
LONG_WORD = 200  # characters; what is longer is data
_NUMBER = re.compile(r"\d+")


def shape(line: str) -> str:
    """A line without what tells two prints of it apart: case and numbers."""
    return _NUMBER.sub("0", line.lower())


def grams(line: str) -> Iterator[str]:
    """The runs of characters in the words of a line's shape; a word begins and ends with a space."""
    for word in shape(line).split():
        padded = f" {word[:LONG_WORD]} "
        for size in SIZES:
            for start in range(max(1, len(padded) - size + 1)):
                yield padded[start : start + size]
