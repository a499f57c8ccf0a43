"""Two listings of the same files are compared without being asked to."""

from __future__ import annotations

import pytest

from diagnostics.checksum_listings import derived
from diagnostics.evidence import Evidence
from diagnostics.evidence.storage import ChecksumVerdict
from diagnostics.parsers.checksum_lists import PARSER
from diagnostics.text import Text

A, B, C = ("a4c14c9712d95f886d575822d98051af", "1ad3504ecc01877a2d4db08ba7b25fe9", "e526f64819d2ce27198f20187bf323a8")


def verdicts(*texts: str) -> list[tuple[int, str, str | None]]:
    facts: list[Evidence] = []
    for number, text in enumerate(texts):
        facts += PARSER.read(Text(f"{number}.txt", text.encode()))
    found = derived(facts)
    assert all(isinstance(fact, ChecksumVerdict) for fact in found)
    return [(fact.source.line, fact.outcome, fact.subject.path) for fact in found if isinstance(fact, ChecksumVerdict)]


def test_a_copy_that_differs() -> None:
    said = f"{A}  step_10.pt\n{B}  step_20.pt\n$ cd /mnt/store; md5sum *\n{A}  step_10.pt\n{C}  step_20.pt\n"
    assert verdicts(said) == [(4, "ok", "/mnt/store/step_10.pt"), (5, "differs", "/mnt/store/step_20.pt")]


def test_the_same_path_at_two_times() -> None:
    assert verdicts(f"{A}  /mnt/a.pt\n", f"{B}  /mnt/a.pt\n") == [(1, "differs", "/mnt/a.pt")]


@pytest.mark.parametrize(
    "texts",
    [
        (f"{A}  /runs/1/model.bin\n", f"{B}  /runs/2/model.bin\n"),
        (f"{A}  a.pt\n{B}  b.pt\n",),
        (f"{A}  a.pt\n", f"XXH128 (a.pt) = {B}\n"),
    ],
    ids=["models of two runs", "one listing", "other algorithms"],
)
def test_what_is_not_compared(texts: tuple[str, ...]) -> None:
    assert verdicts(*texts) == []


def test_subfolders_are_names_too() -> None:
    first = f"{A}  /src/x/model.bin\n{B}  /src/y/model.bin\n"
    second = f"{A}  /dst/x/model.bin\n{C}  /dst/y/model.bin\n"
    assert [outcome for _, outcome, _ in verdicts(first, second)] == ["ok", "differs"]
