"""The time that stands beside a tool's output."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from diagnostics.evidence import Clock
from diagnostics.parsers._snapshot import stamp_before, stamp_of
from diagnostics.text import Text

NOON = datetime(2026, 11, 29, 12, 0, 1, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("line", "clock", "seconds"),
    [
        ("# 2026-11-29 12:00:01", Clock.LOCAL, NOON),
        ("Sun Nov 29 12:00:01 2026", Clock.LOCAL, NOON),
        ("Sun Nov 29 12:00:01 UTC 2026", Clock.UTC, NOON),
        ("Sun Nov 29 12:00:01 PM CST 2026", Clock.LOCAL, NOON),
        ("Sun Nov 29 12:00:01 PM CET 2026", Clock.UTC, NOON - 3600),
        ("== pid 30506 (python) 13:01:28", Clock.TIME_OF_DAY, 46888.0),
        ("13:01:32 $ timeout 10 df", Clock.TIME_OF_DAY, 46892.0),
        ("11/29/2026 01:00:01 PM", Clock.TIME_OF_DAY, 46801.0),
    ],
)
def test_times(line: str, clock: Clock, seconds: float) -> None:
    stamp = stamp_of(line)
    assert stamp is not None
    assert (stamp.clock, stamp.seconds) == (clock, seconds)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "worker_0  RUNNING  pid 2807, uptime 23:04:11",
        " 4338  4335 Sl   anon_pipe_read   00:03 00:00:00 python train.py",
        "$ ps aux",
    ],
)
def test_a_duration_is_no_time(line: str) -> None:
    assert stamp_of(line) is None


def test_the_nearest_line_before_a_table_counts() -> None:
    text = Text("ps.txt", b"# 2026-11-29 11:00:00\n# 2026-11-29 12:00:01\n$ ps aux\nUSER PID\n")
    header = list(text.lines())[3]
    stamp = stamp_before(text, header)
    assert stamp is not None
    assert stamp.seconds == NOON
