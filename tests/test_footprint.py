"""Footprints: joined alternatives find what each of them finds."""

from __future__ import annotations

import re

import pytest

from diagnostics.footprint import Footprint

PATTERN = r"(?i)\bsaved (?:to|in) /|\bloaded from /|(?:^|[\]:] )done\b|(?:^|[\]:] )all done\b|exit(?:ed)? with \d|(?:a|b)?x=\d"
LINES = ["model saved to /a", "weights loaded from /b", "[rank0] done", "all done", "Exited with 1", "x=1", "bx=2"]


@pytest.mark.parametrize("line", LINES)
def test_alternatives_of_one_beginning_are_found_as_before(line: str) -> None:
    assert re.search(PATTERN, line, re.MULTILINE)
    joined = Footprint(PATTERN).live(None)
    assert joined and joined.search(line)


@pytest.mark.parametrize("line", ["unsaved to /a", "undone", "exit with", "x="])
def test_they_find_nothing_else(line: str) -> None:
    joined = Footprint(PATTERN).live(None)
    assert joined and not joined.search(line)


def test_one_beginning_is_tried_once() -> None:
    joined = Footprint(PATTERN).live(None)
    assert joined and joined.pattern.count(r"\b(?:") == 1
