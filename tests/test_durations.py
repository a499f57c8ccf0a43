"""What is a written duration, from its first letter to its last, and what is none."""

from __future__ import annotations

import pytest

from diagnostics.durations import seconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("92s", 92.0),
        ("15 min", 900.0),
        ("1h30m", 5400.0),
        ("1h30", 5400.0),
        ("1 hour, 5 minutes and 3 seconds", 3903.0),
        ("six minutes", 360.0),
        ("Forty-five seconds", 45.0),
        ("3d4h", 273600.0),
        ("2.5m", 150.0),
        ("250 ms", 0.25),
        ("3 milliseconds", 0.003),
        ("31:07", 1867.0),
        ("2-14:00:00", 223200.0),
        ("412:10.33", 24730.33),
        ("17", 17.0),
    ],
)
def test_a_duration(text: str, expected: float) -> None:
    assert seconds(text) == pytest.approx(expected)


@pytest.mark.parametrize("text", ["", "bad", "1 month", "a dog", "s", "5 mistakes", "10 minutes ago", "at 3 s", "-"])
def test_no_duration(text: str) -> None:
    assert seconds(text) is None
