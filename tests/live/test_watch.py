"""The black box: it passes everything through, costs little, and captures a real stall with its cause."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from diagnostics.diagnosis import diagnose
from diagnostics.incident import open_incident
from diagnostics.watch import BlackBox, Settings
from diagnostics.watch.capture import forget
from diagnostics.watch.progress import Progress
from diagnostics.watch.tail import LocalTail
from diagnostics.watch.waits import WaitingThreads
from tests.faults.moosefs import MooseFS
from tests.faults.place import wait_for

TRAINER = Path(__file__).with_name("trainer.py")
WATCH = [sys.executable, "-m", "diagnostics", "watch"]


def start(out: Path, *command: str, options: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*WATCH, "--out", str(out), *options, "--", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def diagnoses(out: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(out.glob("*.diagnosis.json"))]


def test_output_and_exit_status_are_passed_on(tmp_path: Path) -> None:
    run = start(tmp_path, "sh", "-c", "echo hello; echo sorry >&2; exit 0")
    out, _ = run.communicate(timeout=30)
    assert (run.returncode, sorted(out.split())) == (0, [b"hello", b"sorry"])
    assert (tmp_path / "run.log").read_text()
    assert diagnoses(tmp_path) == []


def test_a_signal_is_passed_on(tmp_path: Path) -> None:
    script = "trap 'echo caught; exit 7' TERM; echo ready; while :; do sleep 0.1; done"
    run = start(tmp_path, "sh", "-c", script)
    wait_for(lambda: b"ready" in (tmp_path / "run.log").read_bytes(), "the run") if (
        tmp_path / "run.log"
    ).exists() else None
    wait_for(lambda: (tmp_path / "run.log").exists() and b"ready" in (tmp_path / "run.log").read_bytes(), "the run")
    run.send_signal(signal.SIGTERM)
    out, _ = run.communicate(timeout=30)
    assert (run.returncode, b"caught" in out) == (7, True)


def test_a_run_that_dies_is_collected(tmp_path: Path) -> None:
    run = start(tmp_path, "sh", "-c", "echo step 1; kill -KILL $$")
    run.communicate(timeout=60)
    assert run.returncode == 137
    capture = next(path for path in tmp_path.iterdir() if path.is_dir())
    assert "status 137" in (capture / "exit_status.txt").read_text()
    assert len(diagnoses(tmp_path)) == 1


def test_the_run_survives_the_watch(tmp_path: Path) -> None:
    run = start(tmp_path, "sh", "-c", f"echo $$ > {tmp_path}/pid; sleep 2; echo lives > {tmp_path}/lives")
    wait_for(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip(), "the run")
    run.kill()
    run.communicate()
    wait_for((tmp_path / "lives").exists, "the run to go on")


def test_a_process_that_runs_already_is_watched(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    script = "import time\nfor n in range(30):\n    print(f'step {n} | loss 1.0', flush=True)\n    time.sleep(0.1)\ntime.sleep(60)"
    with open(log, "wb") as output:
        trainer = subprocess.Popen([sys.executable, "-c", script], stdout=output)
    options = ["--pid", str(trainer.pid), "--log", str(log), "--out", str(tmp_path / "out"), "--least", "2"]
    watch = subprocess.Popen([*WATCH, *options], stderr=subprocess.PIPE)
    try:
        wait_for(lambda: diagnoses(tmp_path / "out"), "a diagnosis of the silence", 60)
    finally:
        trainer.kill()
        trainer.wait()
    _, errors = watch.communicate(timeout=60)
    assert watch.returncode == 0
    assert b"no step after 29" in errors
    capture = next(path for path in (tmp_path / "out").iterdir() if path.is_dir())
    assert any(each.symptom == "progress-stopped" for each in diagnose(open_incident(capture)).present)


def test_a_reader_that_stops_reading_does_not_stop_the_run(tmp_path: Path) -> None:
    many = f"yes | head -c 3000000; echo done > {tmp_path}/done"
    run = start(tmp_path, "sh", "-c", many)
    try:
        wait_for((tmp_path / "done").exists, "the run to end although nobody reads")
        assert run.wait(timeout=30) == 0
    finally:
        run.kill()
        run.communicate()


def test_a_step_that_comes_late_is_a_stall() -> None:
    progress = Progress(0.0, startup_s=60)
    assert progress.stalled(61.0)
    for step in range(1, 20):
        progress.feed(f"step {step} | loss 1.0 | 100 tok/s\n".encode(), 10.0 + step)
    assert progress.usual_s == 1.0
    assert not progress.stalled(34.0)
    assert "after 19" in progress.stalled(36.0)


def test_a_save_that_came_before_is_no_stall() -> None:
    progress, now = Progress(0.0), 0.0
    for step in range(1, 20):
        now += 12.0 if step % 5 == 0 else 1.0
        progress.feed(f"step {step} | loss 1.0\n".encode(), now)
    assert not progress.stalled(now + 12.0)
    assert progress.stalled(now + 19.0)


def test_steps_that_take_many_times_as_long_are_a_collapse() -> None:
    progress, now = Progress(0.0), 0.0
    for step in range(1, 40):
        now += 0.5 if step < 36 else 4.0
        progress.feed(f"step {step} | loss 1.0\n".encode(), now)
    assert "4.0 s" in progress.collapsed()


def test_a_log_that_is_replaced_is_followed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    tail = LocalTail(str(log), from_start=True)
    assert tail.read() == b""
    log.write_text("one\n")
    assert tail.read() == b"one\n"
    (tmp_path / "new").write_text("two\n")
    (tmp_path / "new").replace(log)
    assert tail.read() == b"two\n"


def test_the_last_captures_are_kept_and_nothing_else_is_removed(tmp_path: Path) -> None:
    for number in range(1, 5):
        (tmp_path / f"capture-{number:03}-120000").mkdir()
        (tmp_path / f"capture-{number:03}-120000.diagnosis.txt").write_text("")
    (tmp_path / "run.log").write_text("")
    forget(tmp_path, 2)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left[0] == "capture-003-120000"
    assert len(left) == 5


@pytest.mark.moosefs
@pytest.mark.root
@pytest.mark.slow
@pytest.mark.parametrize("fault", ["freeze", "cut", "kill"])
def test_a_stall_on_a_real_moosefs_is_captured_and_diagnosed(moosefs: MooseFS, tmp_path: Path, fault: str) -> None:
    for number in range(4):
        (moosefs.mount / f"shard_{number}.bin").write_bytes(os.urandom(1 << 20))
    run = start(tmp_path / "watch", sys.executable, str(TRAINER), "--data", str(moosefs.mount))
    log = tmp_path / "watch" / "run.log"
    try:
        wait_for(lambda: log.exists() and b"step 8 " in log.read_bytes(), "eight steps", 60)
        getattr(moosefs, fault)()
        begin = time.monotonic()
        wait_for(lambda: diagnoses(tmp_path / "watch"), "a diagnosis", 60)
        took = time.monotonic() - begin
    finally:
        run.kill()
        for pid in os.listdir("/proc"):  # noqa: PTH208
            if pid.isdigit() and str(TRAINER) in _command(pid):
                os.kill(int(pid), signal.SIGKILL)
        run.communicate()
    found = diagnoses(tmp_path / "watch")[0]
    assert found["answer"] == ["network-filesystem-fault"], found["answer"]
    assert found["causes"][0]["subject"]["mount"] == str(moosefs.mount)
    assert took < 20


def _command(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""


def test_one_stall_is_captured_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    box = BlackBox(os.getpid(), Settings(tmp_path), None, None)
    monkeypatch.setattr(box, "capture", lambda reason, seen: taken.append(reason))
    progress, waits = Progress(time.monotonic() - 1000), WaitingThreads(os.getpid())
    for _ in range(5):
        box._look(progress, LocalTail(str(tmp_path / "log"), from_start=True), waits)
        wait_for(lambda: not (box._capture and box._capture.is_alive()), "the capture")
    assert len(taken) == 1
    progress.feed(b"hello\n", time.monotonic())
    box._look(progress, LocalTail(str(tmp_path / "log"), from_start=True), waits)
    progress.last_output_at -= 1000
    box._look(progress, LocalTail(str(tmp_path / "log"), from_start=True), waits)
    wait_for(lambda: len(taken) == 2, "the second stall")
