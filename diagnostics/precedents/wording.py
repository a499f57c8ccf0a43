"""What a text is worded in: the runs of three to five characters of its words, without case and numbers, and its
numbers.

Two prints of one tool differ in their pids, times and addresses, and a new version in a word or a path; most of the
runs stay. Source: Cavnar and Trenkle, N-Gram-Based Text Categorization (1994). Plain facts are told by numbers: an exit
status, a signal, 100 % of a disk. A number stands with the word before it and the word after it, as it is where it is
short and else by how many digits it has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

SIZES = (3, 4, 5)  # characters
LONG_WORD = 200  # characters; what is longer is data
SHORT_NUMBER = 3  # digits: an exit status, an errno, a percentage
_NUMBER = re.compile(r"\d+")
_TOKEN = re.compile(r"(?P<number>-?(?P<whole>\d+)(?P<part>\.\d+)?(?P<percent>%?))|[a-z_]+")


def shape(line: str) -> str:
    """A line without what tells two prints of it apart: case and numbers."""
    return _NUMBER.sub("0", line.lower())


def grams(line: str) -> Iterator[str]:
    """What a line is worded in."""
    yield from _runs(line)
    yield from _numbers(line)


def _runs(line: str) -> Iterator[str]:
    """The runs of characters in the words of a line's shape; a word begins and ends with a space."""
    for word in shape(line).split():
        padded = f" {word[:LONG_WORD]} "
        for size in SIZES:
            for start in range(max(1, len(padded) - size + 1)):
                yield padded[start : start + size]


def _numbers(line: str) -> Iterator[str]:
    """The sizes of a line's numbers, alone and with their neighbours; a tab, which no word holds, parts the two."""
    before = None
    for token in _TOKEN.finditer(line.lower()):
        number = _size(token) if token["number"] else None
        if number is not None:
            yield f"\t{number}"
            if before is not None:
                yield f"{before[0]}\t{number}"
        if before is not None and before[1] is not None:
            yield f"{before[1]}\t{_NUMBER.sub('0', token[0]) if number is None else '0'}"
        before = ("0" if number is not None else token[0], number)


def _size(token: re.Match[str]) -> str:
    if not token["part"] and len(token["whole"]) <= SHORT_NUMBER:
        return token[0]
    sign = "-" if token[0].startswith("-") else ""
    return f"{sign}e{len(token['whole'].lstrip('0'))}{token['percent']}"
