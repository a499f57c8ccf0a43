"""What counts as a number in a cell or in JSON, and that no parser takes another digit for one."""

from __future__ import annotations

import re

import pytest

from diagnostics.parsers import all_parsers
from diagnostics.parsers._numbers import integer, leading_number
from diagnostics.text import Text, whole_number

from ..test_corpus import CASES, split_case

STANDS_ALONE = re.compile(rb"(?<![\w.])\d+(?![\w.])")


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("007", 7), ("9" * 18, 10**18 - 1)])
def test_a_whole_number(text: str, number: int) -> None:
    assert whole_number(text) == number


@pytest.mark.parametrize("text", ["", "-", "-1", "1.5", " 1", "²", "1²", "٣", "9" * 19, "9" * 5000, "1_0"])
def test_no_whole_number(text: str) -> None:
    assert whole_number(text) is None


def test_numbers_in_cells_and_in_json() -> None:
    cells = ("11396 MiB", "54C", "-1.5", "N/A", "²", "", None)
    assert [leading_number(cell) for cell in cells] == [11396.0, 54.0, -1.5, None, None, None, None]
    assert [integer(value) for value in (3, True, 1 << 63, 2.0, "3", None)] == [3, None, None, None, None, None]


@pytest.mark.parametrize("name", all_parsers())
@pytest.mark.parametrize(
    "number", ["²", "1²", "٣", "1e400", "9" * 25, "9" * 5000], ids=lambda number: f"{number[:4]!a}"
)
def test_strange_numbers_raise_in_no_parser(name: str, number: str) -> None:
    parser = all_parsers()[name]
    for path in CASES:
        if path.parent.name == name and not parser.binary:
            raw = split_case(path.read_bytes())[2][:20_000]
            for fact in parser.read(Text("raw.log", STANDS_ALONE.sub(number.encode(), raw))):
                fact.fields()
