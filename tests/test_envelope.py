"""The same words and the same moment, however a line's writer wrote the time before them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from diagnostics.envelope import unwrap
from diagnostics.evidence import Clock

NOON = datetime(2026, 11, 29, 12, 45, 11, tzinfo=UTC).timestamp()
SAID = "no output for 54s"


@pytest.mark.parametrize(
    "before",
    [
        "Sun Nov 29 12:45:11 UTC 2026 ",
        "Sun Nov 29 12:45:11 PM UTC 2026: ",
        "[Sun 29 Nov 12:45:11 GMT 2026] ",
        "Sun 29 Nov 2026 12:45:11 PM UTC - ",
        "[29/Nov/2026:13:45:11 +0100] ",
        "20261129T124511Z ",
        f"[{NOON:.0f}] ",
        f"{NOON:.3f} ",
        f"{NOON:.0f}: ",
        "rank0: 2026-11-29T12:45:11Z ",
        "[INFO|trainer.py:2128] 2026-11-29 12:45:11Z >> ",
        "WARNING 2026-11-29 12:45:11Z | ",
    ],
)
def test_a_time_that_says_its_zone(before: str) -> None:
    found = unwrap(before + SAID)
    assert found.message == SAID
    assert found.stamp
    assert (found.stamp.clock, found.stamp.seconds) == (Clock.UTC, NOON)


@pytest.mark.parametrize(
    "before",
    [
        "Sun 29 Nov 2026 12:45:11 PM CST ",
        "29-Nov-2026 12:45:11.000 ",
        "29.11.2026 12:45:11 ",
        "[29.11.2026, 12:45:11] ",
        "2026.11.29 12:45:11 ",
        "20261129-12:45:11: ",
        "20261129_124511 ",
    ],
)
def test_a_time_of_an_unknown_zone(before: str) -> None:
    found = unwrap(before + SAID)
    assert found.message == SAID
    assert found.stamp
    assert (found.stamp.clock, found.stamp.seconds) == (Clock.LOCAL, NOON)


@pytest.mark.parametrize(
    "line",
    [
        f"[guard 29/Nov/2026:12:45:11] {SAID}",
        f"[guard 2026-11-29 12:45:11] {SAID}",
        f"[guard] 2026-11-29 12:45:11 {SAID}",
    ],
)
def test_who_speaks_stays_in_the_message(line: str) -> None:
    found = unwrap(line)
    assert found.message == f"[guard] {SAID}"
    assert found.stamp
    assert found.stamp.seconds == NOON


def test_what_a_prefix_says_of_its_writer() -> None:
    assert unwrap("Rank 3 | 2026-11-29 12:45:11 | done").rank == 3
    assert unwrap("2026-11-29T12:45:11.505 | INFO | r3 | done").rank == 3
    assert unwrap("2026-11-29 12:45:11.505 | INFO | r3 done").rank is None
    assert unwrap("ERROR 2026-11-29 12:45:11 done").level == "ERROR"


@pytest.mark.parametrize(
    "line",
    [
        "Modify: 2026-11-29 12:45:11.000000000 +0000",
        "Started 2026-11-29 12:45:11 by ada",
        "29.11.2026 99:45:11 text",
        "Sun Foo 29 12:45:11 UTC 2026 text",
        "20269929T124511Z text",
        f"{NOON:.0f} 4711 10",  # a row of numbers
        "[29 samples] text",
    ],
)
def test_no_prefix(line: str) -> None:
    assert unwrap(line) == unwrap("x")._replace(message=line)
