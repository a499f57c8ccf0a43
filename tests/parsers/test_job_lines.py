"""The words and the footprint that are made of the patterns of messages."""

from __future__ import annotations

import re

import pytest

from diagnostics.parsers._job_lines import Words, footprint_of_messages

DONE = re.compile(r"(?i)^(?:all )?done[.!]?$|\bfinished (?:in|after) \d")
SAVED = re.compile(r"(?P<what>checkpoint|model) saved to (?P<path>\S+)")
LOADED = re.compile(r"loaded from (?P<path>\S+)")


@pytest.mark.parametrize(
    "line", ["done", "All done.", "run finished after 3 h", "Checkpoint saved to /a", "weights loaded from /b"]
)
def test_every_line_that_a_pattern_finds_holds_a_word(line: str) -> None:
    assert Words.of((DONE, SAVED, LOADED)).search(line)
    assert re.search(footprint_of_messages((DONE, SAVED, LOADED)), line, re.MULTILINE)


def test_a_line_without_any_word_is_passed_over() -> None:
    assert not Words.of((DONE, SAVED, LOADED)).search("step 12 | loss 2.31")
    assert not re.search(footprint_of_messages((DONE, SAVED, LOADED)), "step 12 | loss 2.31")


def test_a_message_may_begin_below_a_prefix_and_only_there() -> None:
    footprint = footprint_of_messages((DONE,))
    assert re.search(footprint, "[rank0] done.")
    assert not re.search(footprint, "what is undone")


def test_a_pattern_that_needs_no_word_is_refused() -> None:
    with pytest.raises(ValueError, match="no word tells"):
        Words.of((re.compile(r"\d+|done"),))
    assert Words.of((re.compile(r"\+{1,3} \S|done"),), start=r"\+{1,3} \S").search("+ make")
