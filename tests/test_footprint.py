"""Footprints: joined alternatives find what each of them finds."""

from __future__ import annotations

import re
import sys
import textwrap

import pytest

from diagnostics.footprint import Footprint, footprint_of, required_words
from diagnostics.parsers import all_parsers
from diagnostics.text import Text

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


def test_one_footprint_of_several_patterns_minds_case_as_they_did() -> None:
    footprint = footprint_of(re.compile(r"(?P<what>model|weights) saved"), re.compile(r"(?i)out of memory|oom\b"))
    assert footprint == r"(?:model|weights) saved|(?i:out of memory)|(?i:oom\b)"
    assert footprint_of(re.compile(r"done|ended", re.I)) == "(?i)done|ended"


def test_what_is_looked_ahead_for_is_a_required_word() -> None:
    assert required_words(r"^if (?=.{0,80}is_main_process).{1,80}:$") == (frozenset({"is_main_process"}),)


@pytest.mark.parametrize("name", all_parsers())
def test_a_sample_that_a_parser_reads_shows_its_footprint(name: str) -> None:
    parser = all_parsers()[name]
    for sample in re.findall(r"(?:^(?: {4}.*)?\n)+", sys.modules[parser.read.__module__].__doc__ or "", re.MULTILINE):
        text = Text("sample", textwrap.dedent(sample).encode())
        assert parser.binary or parser.wants(text) or not list(parser.read(text)), sample
