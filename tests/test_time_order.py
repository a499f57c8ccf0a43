"""Whether causes came before consequences, by clocks of several zones."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from diagnostics.diagnosis import diagnose
from diagnostics.explanation import explain, format_explanation
from diagnostics.incident import open_incident
from diagnostics.time_order import TimeOrder, time_order

STALLED = datetime(2026, 11, 29, 14, 5)  # in UTC


def volume_that_stalls(folder: Path, zone_h: int, **more: str) -> Path:
    """A log in local time beside a journal in UTC: the server fails, the steps cease, the watchdog kills."""
    local = STALLED + timedelta(hours=zone_h)
    steps = [f"{local - timedelta(seconds=10 * n):%F %T},000 INFO step {31 - n} | loss 2.1\n" for n in range(30, 0, -1)]
    kill = f"{local + timedelta(minutes=10):%F %T},000 ERROR [watchdog] no step for 600 s, killing pid 4242\n"
    (folder / "train.log").write_text("".join(steps) + kill)
    (folder / "journal.txt").write_text(
        f"{STALLED:%FT%T}+00:00 node7 kernel: nfs: server nas01 not responding, still trying\n"
        * 3
        + f"{STALLED + timedelta(minutes=3):%FT%T}+00:00 node7 kernel: "
        "INFO: task python3:4242 blocked for more than 120 seconds.\n"
    )
    (folder / "mount.txt").write_text("nas01:/data on /data type nfs4 (rw,relatime,vers=4.1,hard,addr=10.0.0.5)\n")
    for name, content in more.items():
        (folder / f"{name}.txt").write_text(content)
    return folder


@pytest.mark.parametrize(
    ("zone_h", "date", "order"),
    [
        (-5, "Sun Nov 29 09:20:00 EST 2026\n", TimeOrder.FITS),
        (8, "Sun Nov 29 22:20:00 CST 2026\n", TimeOrder.UNKNOWN),
        (-5, "", TimeOrder.UNKNOWN),
        (0, "Sun Nov 29 14:20:00 UTC 2026\n", TimeOrder.FITS),
    ],
)
def test_clocks_of_several_zones_contradict_nothing(tmp_path: Path, zone_h: int, date: str, order: TimeOrder) -> None:
    diagnosis = diagnose(open_incident(volume_that_stalls(tmp_path, zone_h, date=date)))
    assert [each.slug for each in diagnosis.answer] == ["network-filesystem-fault"]
    assert time_order(diagnosis.incident, diagnosis.answer[0]) is order
    assert "Against it" not in format_explanation(explain(diagnosis))


def test_a_consequence_that_was_seen_first_is_said(tmp_path: Path) -> None:
    diagnosis = diagnose(open_incident(volume_that_stalls(tmp_path, -5, date="Sun Nov 29 14:20:00 UTC 2026\n")))
    assert "by the clocks, its consequences were seen before" in format_explanation(explain(diagnosis))


def test_times_of_an_unknown_zone_are_told_as_local(tmp_path: Path) -> None:
    told = format_explanation(explain(diagnose(open_incident(volume_that_stalls(tmp_path, -5)))))
    assert "2026-11-29 14:05:00Z " in told
    assert "2026-11-29 09:15:00 local time" in told
