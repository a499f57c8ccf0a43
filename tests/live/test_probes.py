"""The probes against volumes that hang, lose, lie and fill up: the truth, in time, and nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from diagnostics.errors import ProbeError, UsageError
from diagnostics.evidence import Severity
from diagnostics.evidence.probe import Outcome, ProbeAnswer
from diagnostics.hangproof import MOST_LEFT_BEHIND
from diagnostics.probes import MIB, ProbeProgress, ProbeReport, all_probes, ask, run_probes
from diagnostics.probes._stage import MARK
from tests.faults.faultfs import FaultFS
from tests.faults.local import SmallDisk
from tests.faults.moosefs import MooseFS
from tests.faults.place import wait_for
from tests.faults.sshfs import SSHFS
from tests.faults.test_faults import drop_cache

COMMAND = [sys.executable, "-m", "diagnostics", "probe"]


def by_name(report: ProbeReport, name: str) -> list[ProbeAnswer]:
    return [answer for answer in report.answers if answer.probe == name]


def leftovers(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.startswith(MARK)]  # noqa: PTH208


def test_a_healthy_folder_answers_everything_and_is_left_clean(tmp_path: Path) -> None:
    report = run_probes([str(tmp_path)], size=2 * MIB, control=None)
    asked = {answer.probe for answer in report.answers}
    assert asked == set(all_probes())
    unwell = [answer for answer in report.answers if answer.severity is not Severity.INFO]
    assert not unwell, report
    assert by_name(report, "write-file")[-1].values["different_bytes"] == 0
    assert list(tmp_path.iterdir()) == []


def test_progress_is_told_and_ends_at_the_total(tmp_path: Path) -> None:
    told: list[ProbeProgress] = []
    run_probes([str(tmp_path)], only=["stat", "write-file"], size=9 * MIB, control=None, on_progress=told.append)
    assert told[-1].done == told[-1].total == 4
    assert {"fsync", "close"} <= {each.doing.split()[0] for each in told if each.doing}


def test_a_dry_run_touches_nothing(tmp_path: Path) -> None:
    before = tmp_path.stat().st_mtime_ns
    report = run_probes([str(tmp_path)], dry_run=True)
    assert not report.answers
    assert sum(row[2] for row in report.planned) > 256 * MIB
    assert tmp_path.stat().st_mtime_ns == before


def test_the_budget_and_the_reserve_hold(tmp_path: Path) -> None:
    report = run_probes([str(tmp_path)], only=["write-file"], size=64 * MIB, budget=10 * MIB, control=None)
    assert [answer.values["size_bytes"] for answer in report.answers] == [MIB, 8 * MIB]
    assert "budget" in report.skipped[0].reason
    report = run_probes([str(tmp_path)], only=["write-file"], reserve=1 << 60, control=None)
    assert not report.answers
    assert "reserve" in report.skipped[0].reason


def test_an_absent_folder_and_an_unknown_probe_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ProbeError):
        run_probes([str(tmp_path / "absent")])
    with pytest.raises(UsageError):
        run_probes([str(tmp_path)], only=["telepathy"])


def test_cancel_cleans_up(tmp_path: Path) -> None:
    cancel = threading.Event()

    def stop_in_the_middle(progress: ProbeProgress) -> None:
        if progress.probe == "write-file" and progress.doing.startswith("fsync"):
            cancel.set()

    report = run_probes([str(tmp_path)], size=64 * MIB, control=None, cancel=cancel, on_progress=stop_in_the_middle)
    assert report.cancelled
    assert list(tmp_path.iterdir()) == []


def test_the_next_run_sweeps_up_after_a_killed_one(tmp_path: Path) -> None:
    killed = subprocess.Popen([*COMMAND, str(tmp_path), "--size", "4GiB"], stdout=subprocess.DEVNULL)
    wait_for(lambda: leftovers(tmp_path), "the probe's folder")
    killed.kill()
    killed.wait()
    (tmp_path / f"{MARK}-mine").mkdir()  # not a name of ours: not touched
    assert len(leftovers(tmp_path)) == 2
    wait_for(lambda: not [pid for pid in os.listdir("/proc") if _asks_about(pid, tmp_path)], "its child to notice")  # noqa: PTH208
    run_probes([str(tmp_path)], only=["flock"], control=None)
    assert leftovers(tmp_path) == [f"{MARK}-mine"]


def _asks_about(pid: str, folder: Path) -> bool:
    try:
        return pid.isdigit() and str(folder).encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_command_at_once_and_cleans_up(tmp_path: Path, number: signal.Signals) -> None:
    child = subprocess.Popen([*COMMAND, str(tmp_path), "--size", "4GiB"], stdout=subprocess.DEVNULL)
    wait_for(lambda: leftovers(tmp_path), "the probe's folder")
    start = time.monotonic()
    child.send_signal(number)
    assert child.wait(timeout=20) == 130
    assert time.monotonic() - start < 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.fuse
@pytest.mark.root
class TestFaults:
    def test_reads_that_hang(self, faultfs: FaultFS) -> None:
        (faultfs.backing / "shard.bin").write_bytes(b"x" * 4 * MIB)
        faultfs.fail(hang=["read"])
        start = time.monotonic()
        report = run_probes([str(faultfs.mount)], deadline_s=8, control=None)
        assert time.monotonic() - start < 12
        assert by_name(report, "stat")[0].outcome is Outcome.ANSWERED
        read = by_name(report, "read-data")[0]
        assert read.outcome is Outcome.SILENT
        assert read.subject.path == str(faultfs.mount / "shard.bin")
        assert not report.left_behind

    def test_writes_that_hang_are_left_behind_and_counted(self, faultfs: FaultFS) -> None:
        faultfs.fail(hang=["flush"], only="written")
        report = run_probes([str(faultfs.mount)], only=["write-file"], size=MIB, deadline_s=3, control=None)
        answer = report.answers[0]
        assert (answer.outcome, "in close" in answer.text) == (Outcome.SILENT, True)
        assert "ask_write_file" in {child.about for child in report.left_behind}
        assert len(report.left_behind) <= MOST_LEFT_BEHIND

    def test_an_error_at_close_is_named(self, faultfs: FaultFS) -> None:
        faultfs.fail(eio=["flush"], only="written")
        answer = ask("write-file", str(faultfs.mount), size=MIB)[0]
        assert (answer.outcome, answer.error, answer.severity) == (Outcome.REFUSED, "EIO", Severity.CRITICAL)
        assert answer.text.startswith("close")

    def test_an_error_at_fsync_is_named(self, faultfs: FaultFS) -> None:
        faultfs.fail(eio=["fsync"], only="written")
        assert ask("write-file", str(faultfs.mount), size=MIB)[0].text.startswith("fsync")

    def test_a_dropped_tail_is_found_by_reading_back(self, faultfs: FaultFS) -> None:
        faultfs.fail(drop_after=5 * MIB, only="written")
        small, large = ask("write-file", str(faultfs.mount), size=8 * MIB)
        assert small.values["different_bytes"] == 0
        assert large.values["different_bytes"] == 3 * MIB
        assert large.values["first_difference"] == 5 * MIB
        assert large.severity is Severity.CRITICAL

    def test_a_flipped_byte_is_found(self, faultfs: FaultFS) -> None:
        faultfs.fail(flip_at=300_000, only="written")
        answer = ask("write-file", str(faultfs.mount), size=MIB)[0]
        assert answer.values["first_difference"] == 300_000 // 4096 * 4096

    def test_a_short_write_loses_nothing(self, faultfs: FaultFS) -> None:
        faultfs.fail(short_write=True)
        assert ask("write-file", str(faultfs.mount), size=MIB)[0].values["different_bytes"] == 0

    def test_a_modification_time_of_zero(self, faultfs: FaultFS) -> None:
        faultfs.fail(mtime_zero=True)
        assert ask("mtime", str(faultfs.mount))[0].values["zero"] == 1

    def test_no_space(self, faultfs: FaultFS) -> None:
        faultfs.fail(enospc=["write"], only="written")
        assert ask("write-file", str(faultfs.mount), size=MIB)[0].error == "ENOSPC"

    def test_slow_is_a_number_and_no_silence(self, faultfs: FaultFS) -> None:
        (faultfs.backing / "shard.bin").write_bytes(b"x" * 4 * MIB)
        faultfs.fail(slow_s=0.2)
        answer = ask("read-data", str(faultfs.mount))[0]
        assert answer.outcome is Outcome.ANSWERED
        assert answer.values["p50_s"] > 0.15

    def test_what_takes_longer_than_its_time_is_slow_and_not_silent(self, faultfs: FaultFS) -> None:
        for number in range(4):
            (faultfs.backing / f"shard_{number}.bin").write_bytes(b"x" * MIB)
        faultfs.fail(slow_s=1.0)
        read = ask("read-data", str(faultfs.mount), deadline_s=5)[0]
        assert (read.outcome, read.values["p50_s"] >= 1) == (Outcome.ANSWERED, True)
        faultfs.fail(slow_s=0.2)
        written = ask("write-file", str(faultfs.mount), deadline_s=20, size=MIB * 64)[-1]
        assert written.outcome is Outcome.ANSWERED
        assert 0 < written.values["size_bytes"] < 64 * MIB
        assert written.values["different_bytes"] == 0

    def test_a_dead_daemon_is_refused(self, faultfs: FaultFS) -> None:
        faultfs.kill()
        report = run_probes([str(faultfs.mount)], control=None)
        assert by_name(report, "stat")[0].error == "ENOTCONN"
        assert by_name(report, "stat")[0].severity is Severity.CRITICAL


@pytest.mark.root
def test_a_full_disk_is_not_written_to(small_disk: SmallDisk) -> None:
    small_disk.fill(leave=2 * MIB)
    report = run_probes([str(small_disk.mount)], size=8 * MIB, control=None)
    assert not by_name(report, "write-file")
    assert any("kept in reserve" in each.reason for each in report.skipped)
    assert by_name(report, "statfs")[0].values["free_bytes"] < 3 * MIB


@pytest.mark.moosefs
@pytest.mark.root
def test_a_frozen_moosefs(moosefs: MooseFS) -> None:
    (moosefs.mount / "shard.bin").write_bytes(os.urandom(2 * MIB))
    drop_cache()
    moosefs.freeze()
    start = time.monotonic()
    report = run_probes([str(moosefs.mount)], deadline_s=15)
    assert time.monotonic() - start < 20
    assert by_name(report, "stat")[0].outcome is Outcome.ANSWERED
    read = by_name(report, "read-data")[0]
    assert (read.outcome, read.subject.server) == (Outcome.SILENT, moosefs.server)
    moosefs.thaw()
    healthy = run_probes([str(moosefs.mount)], only=["read-data", "write-file"], size=MIB, reserve=0)
    assert {answer.outcome for answer in healthy.answers} == {Outcome.ANSWERED}
    assert leftovers(moosefs.mount) == []


@pytest.mark.sshfs
@pytest.mark.root
def test_a_frozen_sshfs_through_the_command(sshfs: SSHFS, tmp_path: Path) -> None:
    sshfs.freeze()
    out = tmp_path / "probe.jsonl"
    start = time.monotonic()
    done = subprocess.run(
        [*COMMAND, str(sshfs.mount), "--deadline", "4", "--out", str(out)], capture_output=True, text=True, check=False
    )
    assert time.monotonic() - start < 14
    assert (done.returncode, done.stderr) == (0, "")
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["outcome"] for row in rows if row["probe"] == "stat"] == ["silent"]
