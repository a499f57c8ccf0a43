"""A watchdog of any wording is read once somebody has described it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from diagnostics.evidence import Source
from diagnostics.evidence.people import WatchdogDescription
from diagnostics.evidence.supervisor import WatchdogFired, WatchdogObservation
from diagnostics.incident import open_incident
from diagnostics.parsers.watchdog_descriptions import PARSER, described_parser, line_pattern
from diagnostics.text import Text

CONFIG = """
[[watchdog]]
name = "babysit"
fired = "zzz {pid} since {age}: bang"
alive = "tick {pid} *"
limit = "10 min"
"""
LOG = """2026-11-29 12:00:00 tick 4242 all quiet
2026-11-29 12:20:00 zzz 4242 since 20 min: bang
"""


def test_the_log_of_a_described_watchdog(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(LOG)
    assert not open_incident(tmp_path).of(WatchdogFired)
    (tmp_path / "watchdog.toml").write_text(CONFIG)
    incident = open_incident(tmp_path)
    (fired,) = incident.of(WatchdogFired)
    assert (fired.subject.pid, fired.age_s, fired.limit_s, fired.action) == (4242, 1200.0, 600.0, "kill")
    assert fired.source.quote == LOG.splitlines()[1]
    (seen,) = incident.of(WatchdogObservation)
    assert (seen.subject.pid, seen.limit_s) == (4242, 600.0)


@pytest.mark.parametrize(
    "config",
    [
        "[[watchdog]]\n",
        "[[watchdog]]\nfired = 3\n",
        '[[watchdog]]\nfired = "a\n',
        "[[watchdog]]\nwatchdog = 1\n[watchdog.x]\n",
        "[[watchdog]]\nfired = " + "[" * 5000,
    ],
)
def test_a_broken_description_describes_nothing(config: str) -> None:
    assert list(PARSER.read(Text("watchdog.toml", config.encode()))) == []


def test_a_described_line_is_no_regular_expression() -> None:
    pattern = line_pattern("(a+)+$ * * * * * * {pid}{pid}")
    start = time.process_time()
    assert not pattern.search("(a+)+$ " + "a" * 4000)
    assert time.process_time() - start < 1


def test_times_and_names_are_taken_from_their_places() -> None:
    said = WatchdogDescription(
        source=Source("watchdog.toml", 1, ""), name="w", fired="{job} hung {age} (max {limit}) rank {rank}"
    )
    (fired,) = described_parser(said).read(Text("w.log", b"llm-3b hung 00:20:00 (max 15min) rank 7\n"))
    assert isinstance(fired, WatchdogFired)
    assert (fired.subject.job, fired.subject.rank, fired.age_s, fired.limit_s) == ("llm-3b", 7, 1200.0, 900.0)
