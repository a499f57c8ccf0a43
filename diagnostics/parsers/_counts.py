"""Counts that go on below a line of a log: the same words with a larger number, "8122/13100" after "7992/13100"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..text import Line, Text

# 7992/13100     1763 / 3037     460112   /     11 of 14; no date
COUNT = re.compile(r"(?<![\w./:-])(\d{1,9}) {0,4}(?:/|of) {0,4}(\d{1,9})?(?=[\s\]),;|%]|$)")
WINDOW = 50  # lines on each side
LETTERS = re.compile(r"[A-Za-z]{2,40}")


class Count(NamedTuple):
    """A line that counts, the words that it says beside its numbers, and the numbers."""

    line: Line
    words: str
    done: int
    total: int | None


def counted_on(text: Text, numbers: Sequence[int]) -> Iterator[tuple[Count, Count]]:
    """The last count above the first of some lines and the first larger one below any of them, by their words."""
    if not numbers:
        return
    above: dict[tuple[str, int | None], Count] = {}
    told: set[tuple[str, int | None]] = set()
    first, last = min(numbers), max(numbers)
    for line in text.lines():
        if line.number > last + WINDOW:
            return
        if line.number < first - WINDOW or line.number in numbers:
            continue
        count = _count(line)
        if count is None:
            continue
        key = (count.words, count.total)
        if line.number < first:
            above[key] = count
        elif key in above and key not in told and count.done > above[key].done:
            told.add(key)
            yield above[key], count


def _count(line: Line) -> Count | None:
    """The last count of a line."""
    said = line.text[-600:]
    counts = list(COUNT.finditer(said))
    if not counts:
        return None
    found = counts[-1]
    total = int(found[2]) if found[2] else None
    if total is not None and int(found[1]) > total:
        return None
    words = " ".join(LETTERS.findall(f"{said[: found.start()]} {said[found.end() :]}"))[:160]
    return Count(line, words, int(found[1]), total)
