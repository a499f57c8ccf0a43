"""A pod tells what it can, in time, masked, with a reason for each silence; and `diagnose` reads it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from diagnostics.collect import INDEX, CollectorRaised, collect
from diagnostics.collectors import Collector, Piece, Scope, State, all_collectors
from diagnostics.collectors._collector import command_piece
from diagnostics.collectors.python_stacks import keep_telling_locals
from diagnostics.errors import DiagnosticsError, UsageError
from diagnostics.evidence import ReadState
from diagnostics.evidence.probe import ProbeAnswer
from diagnostics.evidence.process import OpenFile, ProcessState, PythonStack, ThreadState
from diagnostics.evidence.storage import DiskUsage, MemoryInfo, Mount, Pressure
from diagnostics.evidence.training import TrainingSteps
from diagnostics.incident import open_incident
from tests.faults import place
from tests.faults.faultfs import FaultFS
from tests.faults.place import end, wait_for
from tests.faults.test_faults import reader, state

SECRET = "Zq8vR2kLmN4pXwYt"


def index(folder: Path) -> dict[str, dict[str, Any]]:
    rows = [json.loads(line) for line in (folder / INDEX).read_text().splitlines()]
    return {row["file"] or row["collector"]: row for row in rows}


def test_every_collector_leaves_an_entry_and_the_parsers_read_them(tmp_path: Path) -> None:
    collection = collect(tmp_path / "out", Scope(pids=[os.getpid()]))
    asked = {str(entry["collector"]) for entry in collection.entries}
    assert asked >= set(all_collectors()) - {"volumes", "listings", "settings", "logs"}
    incident = open_incident(tmp_path / "out")
    for kind in (ProcessState, DiskUsage, MemoryInfo, Mount):
        assert incident.of(kind), kind.__name__
    if Path("/proc/pressure").exists():
        assert incident.of(Pressure)


def test_the_local_time_of_the_logs_is_told(tmp_path: Path) -> None:
    """A log of a machine in Shanghai has local times, the process table has the world's: both are placed."""
    out = tmp_path / "out"
    code = f"from diagnostics.collect import collect; collect({str(out)!r}, only=['clock', 'processes'])"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "TZ": "Asia/Shanghai"})
    wall = time.strftime("%F %T", time.gmtime(time.time() + 8 * 3600))
    (out / "train.log").write_text(f"{wall} INFO step 5 | loss 4.1\n")
    incident = open_incident(out)
    logged, seen = incident.of(TrainingSteps)[0], incident.of(ProcessState)[0]
    assert abs(incident.timeline.elapsed_s(seen, logged) or 1e9) < 60


def test_a_process_is_seen_with_threads_files_and_python_frames(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    script = "import time\ndef sleepy():\n    time.sleep(60)\nprint('step 1 | loss 2.0', flush=True)\nsleepy()\n"
    (tmp_path / "train.py").write_text(script)
    with open(log, "wb") as output:
        child = subprocess.Popen([sys.executable, str(tmp_path / "train.py"), f"--token={SECRET}"], stdout=output)
    try:
        wait_for(lambda: log.read_bytes(), "the run")
        collect(tmp_path / "out", Scope(pids=[child.pid]))
    finally:
        end(child)
    incident = open_incident(tmp_path / "out")
    assert [fact for fact in incident.of(ThreadState) if fact.subject.pid == child.pid]
    assert str(log) in {fact.target for fact in incident.of(OpenFile) if fact.subject.pid == child.pid}
    functions = [frame.function for fact in incident.of(PythonStack) for frame in fact.frames]
    assert "sleepy" in functions
    assert (tmp_path / "out" / "logs" / "train.log").read_text() == "step 1 | loss 2.0\n"
    everything = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert SECRET.encode() not in everything


def test_it_never_overwrites_and_knows_its_collectors(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    with pytest.raises(DiagnosticsError, match="not empty"):
        collect(tmp_path)
    with pytest.raises(UsageError, match="telepathy"):
        collect(tmp_path / "out", only=["telepathy"])


def only_collector(monkeypatch: pytest.MonkeyPatch, pieces: Callable[[Scope], Iterator[Piece]]) -> None:
    monkeypatch.setattr("diagnostics.collect.all_collectors", lambda: {"one": Collector("one", pieces)})


def test_a_collector_that_fails_leaves_what_it_had_and_why_there_is_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pieces(scope: Scope) -> Iterator[Piece]:
        yield Piece("df.txt", b"Filesystem\n")
        raise ValueError("12 is no pid")

    only_collector(monkeypatch, pieces)
    with pytest.warns(CollectorRaised, match="12 is no pid"):
        collection = collect(tmp_path / "out", Scope(pids=[os.getpid()]))
    assert index(tmp_path / "out")["df.txt"]["state"] == "read"
    entry = index(tmp_path / "out")["one"]
    assert (entry["state"], entry["reason"]) == ("refused", "this collector failed: ValueError: 12 is no pid")
    assert "one: this collector failed" in repr(collection)


def test_what_is_too_long_is_cut_in_its_middle_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pieces(scope: Scope) -> Iterator[Piece]:
        rows = "seq -f '[%7.0f.000000] usb 1-1: new device' 1 400000; echo '[400001.000000] Out of memory'"
        yield command_piece(scope, "dmesg.txt", ["sh", "-c", rows])

    only_collector(monkeypatch, pieces)
    collection = collect(tmp_path / "out", Scope(pids=[os.getpid()], most_bytes=10 << 20))
    entry = index(tmp_path / "out")["dmesg.txt"]
    assert entry["state"] == "cut"
    assert entry["reason"].endswith("bytes left out]")
    assert f"cut      dmesg.txt: {entry['reason']}" in repr(collection)
    assert (tmp_path / "out" / "dmesg.txt").read_text().endswith("Out of memory\n")
    read = [each for each in open_incident(tmp_path / "out").coverage if each.file == "dmesg.txt"]
    assert {(each.state, each.reason) for each in read} == {(ReadState.CUT, entry["reason"])}


def test_of_a_long_log_both_ends_are_kept(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("".join(f"step {number} | loss 2.0\n" for number in range(100_000)))
    collect(tmp_path / "out", Scope(pids=[os.getpid()], logs=[str(log)], log_bytes=1 << 20), only=["logs"])
    entry = index(tmp_path / "out")["logs/train.log"]
    assert (entry["state"], entry["reason"]) == ("cut", f"{log} [{log.stat().st_size - (1 << 20)} bytes left out]")
    kept = (tmp_path / "out" / "logs" / "train.log").read_text()
    assert kept.startswith("step 0 |")
    assert kept.endswith("step 99999 | loss 2.0\n")
    states = {each.state for each in open_incident(tmp_path / "out").coverage if each.file == "logs/train.log"}
    assert states == {ReadState.CUT}


@pytest.mark.fuse
@pytest.mark.root
def test_it_does_not_write_onto_the_patient(faultfs: FaultFS) -> None:
    with pytest.raises(DiagnosticsError, match="may be what is ill"):
        collect(faultfs.mount / "out")


@pytest.mark.fuse
@pytest.mark.root
def test_dead_volumes_cost_seconds_and_are_named(faultfs: FaultFS, tmp_path: Path) -> None:
    shard = faultfs.backing / "shard.bin"
    shard.write_bytes(b"x" * (1 << 20))
    faultfs.fail(hang=["read", "statfs"])
    child = reader(faultfs.mount / "shard.bin")
    try:
        wait_for(lambda: state(child) == "D", "state D")
        start = time.monotonic()
        collection = collect(
            tmp_path / "out", Scope(pids=[child.pid], logs=[str(faultfs.mount / "shard.bin")], folders=["/absent"])
        )
        assert time.monotonic() - start < 12
    finally:
        faultfs.heal()
        end(child)
    silent = {str(entry["collector"]) for entry in collection.of(State.SILENT)}
    assert {"disk_usage", "logs"} <= silent
    assert f"{faultfs.mount} gave no answer" in index(tmp_path / "out")["df.txt"]["reason"]
    incident = open_incident(tmp_path / "out")
    threads = [fact for fact in incident.of(ThreadState) if fact.subject.pid == child.pid]
    assert threads[0].state == "D"
    assert "silent" in {answer.outcome.value for answer in incident.of(ProbeAnswer)}


@pytest.mark.root
def test_without_rights_what_is_refused_is_said(tmp_path: Path) -> None:
    place.require("setpriv", root=True)
    bare = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
    other = subprocess.Popen([sys.executable, "-ISc", "import time; time.sleep(60)"])  # has rights that we drop
    try:
        command = [
            *bare,
            sys.executable,
            "-m",
            "diagnostics",
            "collect",
            str(tmp_path / "out"),
            "--pid",
            str(other.pid),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        end(other)
    assert (done.returncode, done.stderr) == (0, "")
    entries = index(tmp_path / "out")
    assert entries["ps.txt"]["state"] == "read"
    assert "not allowed to read" in entries["proc_stacks.txt"]["reason"]


def test_of_the_locals_only_paths_and_numbers_are_kept() -> None:
    dump = b"""Thread 1 (idle): "MainThread"
    read (train.py:3)
        Arguments:
            path: "/data/shard2.bin"
            password: "hunter2"
            fd: 12
        Locals:
            model: <Model at 0x7f>
    main (train.py:9)
"""
    kept = keep_telling_locals(dump)
    assert b"/data/shard2.bin" in kept
    assert b"fd: 12" in kept
    assert b"hunter2" not in kept
    assert b"Locals" not in kept
