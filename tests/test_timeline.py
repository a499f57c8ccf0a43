"""Clocks of several files on one axis, and what is not guessed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from diagnostics import clocks
from diagnostics.evidence import Clock, Evidence
from diagnostics.evidence.kernel import Xid
from diagnostics.evidence.training import TrainingSteps
from diagnostics.incident import Incident, open_incident
from diagnostics.timeline import Instant

XID = "NVRM: Xid (PCI:0000:b3:00): {code}, pid={pid}, name=python3, GPU has fallen off the bus."


def incident(folder: Path, **files: str) -> Incident:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_txt", ".txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return open_incident(folder)


def moments(opened: Incident) -> list[str | None]:
    ats = [opened.timeline.at(fact) for fact in opened.of(Xid)]
    return [f"{at:%F %T}" if at else None for at in ats]


def test_uptime_is_anchored_by_a_reading_of_both_clocks(tmp_path: Path) -> None:
    opened = incident(
        tmp_path,
        clock_txt="2026-11-29 12:00:00 UTC\nup since 2026-11-29 11:00:00, uptime 3600.00 s\n",
        dmesg_txt=f"[  600.000000] {XID.format(code=79, pid=1)}\n",
    )
    assert moments(opened) == ["2026-11-29 11:10:00"]
    alignment = opened.timeline.alignment(Clock.UPTIME, "dmesg.txt")
    assert alignment is not None
    assert alignment.anchor == "clock.txt"
    assert alignment.uncertainty_s == 1.0


def test_a_reading_belongs_to_the_last_boot_only(tmp_path: Path) -> None:
    opened = incident(
        tmp_path,
        clock_txt="2026-11-29 12:00:00 UTC\nup since 2026-11-29 11:00:00, uptime 3600.00 s\n",
        dmesg_txt=f"[  600.000000] {XID.format(code=79, pid=1)}\n[    0.000000] Linux version 6.8.0 (x) #1\n"
        f"[   60.000000] {XID.format(code=48, pid=2)}\n",
    )
    assert moments(opened) == [None, "2026-11-29 11:01:00"]
    assert {fact.source.line for fact in opened.timeline.undated["dmesg.txt", 0]} == {1}


def test_without_a_reading_an_event_that_another_file_dates_anchors_uptime(tmp_path: Path) -> None:
    opened = incident(
        tmp_path,
        dmesg_txt=f"[  600.000000] {XID.format(code=79, pid=1)}\n[  660.000000] {XID.format(code=48, pid=2)}\n",
        journal_txt=f"2026-11-29T11:10:00+0000 n1 kernel: {XID.format(code=79, pid=1)}\n",
    )
    assert moments(opened) == ["2026-11-29 11:10:00", "2026-11-29 11:11:00", "2026-11-29 11:10:00"]


def test_two_machines_have_two_boots(tmp_path: Path) -> None:
    opened = incident(
        tmp_path,
        a__clock_txt="2026-11-29 12:00:00 UTC\nup since 2026-11-29 11:00:00, uptime 3600.00 s\n",
        a__dmesg_txt=f"[  600.000000] {XID.format(code=79, pid=1)}\n",
        b__clock_txt="2026-11-29 12:00:00 UTC\nup since 2026-11-29 10:00:00, uptime 7200.00 s\n",
        b__dmesg_txt=f"[  600.000000] {XID.format(code=79, pid=2)}\n",
        c__dmesg_txt=f"[  600.000000] {XID.format(code=79, pid=3)}\n",
    )
    assert moments(opened) == ["2026-11-29 11:10:00", "2026-11-29 10:10:00", None]


def test_a_log_without_years_may_cross_the_new_year(tmp_path: Path) -> None:
    opened = incident(
        tmp_path,
        kern_txt=f"Dec 31 23:59:00 n1 kernel: {XID.format(code=79, pid=1)}\n"
        f"Jan  1 00:01:00 n1 kernel: {XID.format(code=48, pid=2)}\n",
        clock_txt="2027-01-01 00:30:00 UTC\n",
    )
    assert moments(opened) == ["2026-12-31 23:59:00", "2027-01-01 00:01:00"]


def test_a_time_of_day_takes_the_day_of_the_other_files(tmp_path: Path) -> None:
    opened = incident(
        tmp_path,
        dmesg_txt=f"23:59:43  {XID.format(code=79, pid=1)}\n",
        clock_txt="2026-11-30 00:30:00 UTC\n",
    )
    assert moments(opened) == ["2026-11-29 23:59:43"]


def test_a_clock_that_nothing_anchors_keeps_its_own_order(tmp_path: Path) -> None:
    opened = incident(
        tmp_path,
        dmesg_txt=f"[  700.000000] {XID.format(code=79, pid=1)}\n[  600.000000] {XID.format(code=48, pid=2)}\n",
    )
    assert moments(opened) == [None, None]
    xids = [fact for fact in opened.timeline.undated["dmesg.txt", 0] if isinstance(fact, Xid)]
    assert [fact.code for fact in xids] == [48, 79]
    assert all(isinstance(moment, datetime) for moment, _ in opened.timeline.ordered)


def steps(rank: int, start: str, late: int = 0, count: int = 10) -> str:
    first = datetime.fromisoformat(start)
    return "".join(
        f"[rank{rank}]: {first + timedelta(seconds=2 * step + late):%F %T} step {step} | loss 2.1 | 1000 tok/s\n"
        for step in range(1, count + 1)
    )


def ends(opened: Incident) -> list[str]:
    found = []
    for run in opened.of(TrainingSteps):
        assert run.stamp
        at = opened.timeline.at(run, run.stamp._replace(seconds=run.columns["seconds"][-1]))
        found.append(f"{at:%F %T}")
    return found


def test_a_rank_whose_clock_is_skewed_is_put_right_by_the_steps_that_it_shares(tmp_path: Path) -> None:
    start = "2026-11-29 10:00:00"
    opened = incident(tmp_path, job_txt=steps(0, start) + steps(1, start, late=183) + steps(2, start, late=1))
    assert ends(opened) == ["2026-11-29 10:00:20", "2026-11-29 10:00:21", "2026-11-29 10:00:21"]
    assert set(opened.timeline.skews) == {1}
    assert opened.timeline.skews[1].offset_s == -182.0


def test_the_same_steps_of_a_second_attempt_are_no_skew(tmp_path: Path) -> None:
    first, second = "2026-11-29 10:00:00", "2026-11-29 14:00:00"
    opened = incident(
        tmp_path, a_txt=steps(0, first) + steps(1, first), b_txt=steps(0, second) + steps(1, second, late=300)
    )
    assert opened.timeline.skews == {}


def test_too_few_shared_steps_prove_no_skew(tmp_path: Path) -> None:
    start = "2026-11-29 10:00:00"
    opened = incident(tmp_path, job_txt=steps(0, start, count=4) + steps(1, start, late=300))
    assert opened.timeline.skews == {}


def test_a_log_that_is_cut_short_hides_no_skew_of_the_others(tmp_path: Path) -> None:
    start = "2026-11-29 10:00:00"
    log = steps(0, start, count=2) + steps(1, start) + steps(2, start, late=3600) + steps(3, start)
    assert {rank: each.offset_s for rank, each in incident(tmp_path, job_txt=log).timeline.skews.items()} == {
        2: -3600.0
    }


def test_what_other_files_date_is_looked_at_once_however_many_boots_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boots = "".join(
        f"[    0.000000] Linux version 6.8.0 (x) #1\n[   60.000000] {XID.format(code=79, pid=n)}\n" for n in range(30)
    )
    journal = "".join(f"2026-11-29T11:{n:02}:00+0000 n1 kernel: {XID.format(code=79, pid=n)}\n" for n in range(30))
    opened = incident(tmp_path, dmesg_txt=boots, journal_txt=journal)
    looked_at, real = [], clocks.by_what_they_say

    def counting(facts: Iterable[Evidence]) -> dict[clocks.Said, list[Evidence]]:
        looked_at.extend(facts := list(facts))
        return real(facts)

    monkeypatch.setattr(clocks, "by_what_they_say", counting)
    assert len({fact.stamp.boot for fact in opened.of(Xid) if fact.stamp}) > 10
    assert None not in moments(opened)
    assert len(looked_at) <= len(opened.evidence)


@pytest.mark.parametrize("year", ["0001", "9999"])
def test_beside_a_clock_that_was_never_set_the_year_and_the_day_stay_open(tmp_path: Path, year: str) -> None:
    opened = incident(
        tmp_path,
        train_txt="".join(f"{year}-{day}T{time}Z step {n} loss 2.0\n" for n, (day, time) in enumerate(NEVER_SET[year])),
        kern_txt=f"Nov 28 10:00:00 n1 kernel: {XID.format(code=79, pid=1)}\n",
        dmesg_txt=f"{'23:59:43' if year == '0001' else '00:00:43'}  {XID.format(code=79, pid=1)}\n",
    )
    assert all(opened.timeline.at(fact) is None or opened.timeline.at(fact) for fact in opened.evidence)
    assert [fact.source.file for fact, at in zip(opened.of(Xid), moments(opened), strict=True) if at is None] == [
        "dmesg.txt"
    ]


NEVER_SET = {
    "0001": [("01-01", "00:00:01"), ("01-01", "00:00:02")],
    "9999": [("12-31", "23:59:58"), ("12-31", "23:59:59")],
}


def test_seconds_between_two_clocks_are_counted_only_where_both_are_tied(tmp_path: Path) -> None:
    steps = "".join(f"I1129 12:00:{n:02}.000 r0 train.py:208] step {n} loss 2.0\n" for n in range(10))
    end = "{date} run.sh: train.py exited with status 1\n"
    dated = incident(tmp_path / "dated", train_txt=steps, exit_txt=end.format(date="2026-11-29 12:00:31"))
    assert [run.silent_s for run in dated.runs] == [22.0]
    alone = incident(tmp_path / "alone", train_txt=steps, exit_txt=end.format(date="12:00:31"))
    assert [run.silent_s for run in alone.runs] == [None]  # of a time of day nobody knows the date


def test_two_times_of_day_are_less_than_half_a_day_apart() -> None:
    late, early = Instant(Clock.TIME_OF_DAY, 86_390.0), Instant(Clock.TIME_OF_DAY, 5.0)
    assert (early.since(late), late.since(early)) == (15.0, -15.0)
    assert Instant(Clock.UTC, 5.0).since(early) is None
    assert Instant(Clock.UPTIME, 9.0, ("a", 0)).since(Instant(Clock.UPTIME, 4.0, ("b", 0))) is None


EARLIER = "2026-11-29 03:10:00 step 1 loss 2.0\n2026-11-29 03:10:10 step 2 loss 2.0\n"


def first_moments(opened: Incident) -> str:
    run = opened.of(TrainingSteps)[0]
    return f"{opened.timeline.at(run):%F %T %Z}"


@pytest.mark.parametrize(
    "said",
    [
        "Sun Nov 29 03:15:00 EST 2026\n",
        "Sun Nov 29 03:15:00 -05 2026\n",
        "2026-11-29 03:15:00 -0500\n",
        "Sun Nov 29 03:15:00 CST 2026\nSun Nov 29 08:15:00 UTC 2026\n",
        "               Local time: Sun 2026-11-29 03:15:00 CDT\n           Universal time: Sun 2026-11-29 08:15:00 UTC\n",
        "Sun Nov 29 03:15:00 EST 2026\n 03:15:00 up 2 days,  3:12,  0 user,  load average: 0.61, 0.37, 0.20\n",
    ],
)
def test_a_wall_clock_is_placed_by_the_zone_that_its_machine_says(tmp_path: Path, said: str) -> None:
    opened = incident(tmp_path, date_txt=said, train_txt=EARLIER)
    assert first_moments(opened) == "2026-11-29 08:10:00 UTC"
    alignment = opened.timeline.alignment(Clock.LOCAL, "train.txt")
    assert alignment is not None
    assert alignment.anchor == "date.txt says UTC-05:00"


@pytest.mark.parametrize("said", ["", "Sun Nov 29 03:15:00 CST 2026\n", "2026-11-29 08:15:00 step 9\n"])
def test_a_wall_clock_whose_zone_nothing_says_is_in_local_time(tmp_path: Path, said: str) -> None:
    opened = incident(tmp_path, date_txt=said, train_txt=EARLIER)
    assert first_moments(opened) == "2026-11-29 03:10:00 local time"
    alignment = opened.timeline.alignment(Clock.LOCAL, "train.txt")
    assert alignment is not None
    assert alignment.uncertainty_s == 14 * 3600


def test_a_log_that_would_end_after_it_was_collected_is_of_a_container_that_keeps_utc(tmp_path: Path) -> None:
    opened = incident(tmp_path, date_txt="Sun Nov 28 22:15:00 EST 2026\n", train_txt=EARLIER)
    assert first_moments(opened) == "2026-11-29 03:10:00 UTC"


def test_a_zone_is_said_for_the_machine_of_its_folder(tmp_path: Path) -> None:
    xid = XID.format(code=79, pid=1)
    opened = incident(
        tmp_path,
        a__date_txt="Sun Nov 29 12:30:00 CET 2026\n",
        a__dmesg_txt=f"[Sun Nov 29 12:10:00 2026] {xid}\n",
        b__date_txt="Sun Nov 29 11:30:00 UTC 2026\n",
        b__dmesg_txt=f"[Sun Nov 29 11:10:00 2026] {xid}\n",
    )
    assert moments(opened) == ["2026-11-29 11:10:00", "2026-11-29 11:10:00"]


def test_a_time_that_a_laptop_wrote_says_no_zone_of_the_machine(tmp_path: Path) -> None:
    opened = incident(tmp_path, note_txt="2026-11-29T09:00:00+05:00 step 7 loss 2.0\n", train_txt=EARLIER)
    assert {f"{opened.timeline.at(run):%T %Z}" for run in opened.of(TrainingSteps)} == {
        "04:00:00 UTC",
        "03:10:00 local time",
    }


def test_uptime_is_as_doubtful_as_the_wall_clock_that_anchors_it(tmp_path: Path) -> None:
    dmesg = f"[  600.000000] {XID.format(code=79, pid=1)}\n"
    for said, moment, doubt_s in (("CST", "11:10:00 local time", 14 * 3600 + 1), ("CET", "10:10:00 UTC", 1)):
        clock = f"Sun Nov 29 12:00:00 {said} 2026\n3600.00 9000.12\n"
        opened = incident(tmp_path, clock_txt=clock, dmesg_txt=dmesg)
        assert f"{opened.timeline.at(opened.of(Xid)[0]):%T %Z}" == moment
        alignment = opened.timeline.alignment(Clock.UPTIME, "dmesg.txt")
        assert alignment is not None
        assert alignment.uncertainty_s == doubt_s
