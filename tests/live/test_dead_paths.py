"""A command whose own paths lie on a dead volume says so in time, and one on a slow volume does its work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from diagnostics import open_incident, supervision
from diagnostics.errors import UnreadableInput
from tests.faults import place
from tests.faults.faultfs import FaultFS
from tests.faults.sshfs import SSHFS

pytestmark = [pytest.mark.fuse, pytest.mark.root]
PATIENCE = (
    "import diagnostics.supervision as s, sys; s.PATIENCE_S = 3.0; from diagnostics.cli import main; sys.exit(main())"
)


def ask(*arguments: str | Path, cwd: str | Path = "/", deadline_s: float = 60) -> tuple[int, str, str]:
    """Run the program with little patience; its output comes through pipes, which a stuck child must not hold."""
    command = [sys.executable, "-P", "-c", PATIENCE, *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=cwd)
    try:
        out, errors = process.communicate(timeout=deadline_s)
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail(f"{arguments} hangs")
    return process.returncode, out.decode(), errors.decode()


COMMANDS = (
    ["diagnose"],
    ["parse"],
    ["audit"],
    ["checkpoint", "verify"],
    ["checkpoint", "resume"],
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("call", ["getattr", "read"])
def test_a_path_on_a_dead_volume_is_told_in_time(faultfs: FaultFS, command: list[str], call: str) -> None:
    (faultfs.backing / "train.py").write_text("import torch\ntorch.save({}, 'a.pt')\n" * 5000)
    (faultfs.backing / "step_10.pt").write_bytes(os.urandom(100_000))
    faultfs.fail(hang=[call])
    status, _, errors = ask(*command, faultfs.mount)
    if call in ("open", "read") and command[0] == "checkpoint" and status == 0:
        return  # it needed to read nothing
    assert status == 1, errors
    assert f"{faultfs.mount} does not answer" in errors
    assert "Traceback" not in errors


def test_a_write_to_a_dead_volume_is_told_in_time(faultfs: FaultFS, tmp_path: Path) -> None:
    (tmp_path / "step_3.pt").write_bytes(os.urandom(100_000))
    for call in ("create", "fsync"):
        faultfs.fail(hang=[call])
        status, _, errors = ask("checkpoint", "publish", tmp_path / "step_3.pt", faultfs.mount)
        faultfs.heal()
        assert status == 1, (call, errors)
        assert "does not answer" in errors


def test_a_slow_volume_is_waited_for(faultfs: FaultFS) -> None:
    (faultfs.backing / "train.log").write_text("step 1 | loss 2.0\nTraceback (most recent call last):\nValueError: x\n")
    faultfs.fail(slow_s=0.5)
    status, out, errors = ask("diagnose", faultfs.mount)
    assert status == 0, errors
    assert out


def test_output_and_status_are_those_of_the_command(faultfs: FaultFS, tmp_path: Path) -> None:
    for folder in (faultfs.backing, tmp_path):
        (folder / "train.log").write_text("step 1 | loss 2.0\n" * 1000)
    assert ask("parse", faultfs.mount, "--json") == ask("parse", tmp_path, "--json")
    assert ask("diagnose", faultfs.mount / "missing")[0] == 1


def test_a_volume_that_dies_below_a_healthy_folder_is_told(sshfs: SSHFS) -> None:
    (sshfs.remote / "train.log").write_text("step 1 | loss 2.0\n")
    sshfs.freeze()
    try:
        status, _, errors = ask("parse", sshfs.mount.parent)
        assert status == 1
        assert "does not answer" in errors
        status, _, errors = ask("parse", "train.log", cwd="/")
        assert status == 1, "a volume that is not asked for delays nobody"
    finally:
        sshfs.thaw()


def test_a_notebook_that_opens_a_dead_volume_gets_the_error_and_keeps_its_kernel(
    faultfs: FaultFS, monkeypatch: pytest.MonkeyPatch
) -> None:
    (faultfs.backing / "train.log").write_text("step 1 | loss 2.0\n")
    assert open_incident(faultfs.mount).evidence
    monkeypatch.setattr(supervision, "PATIENCE_S", 3.0)
    faultfs.fail(hang=["read"])
    with pytest.raises(UnreadableInput, match=r"does not answer .*train\.log"):
        open_incident(faultfs.mount)
    faultfs.heal()
    faultfs.fail(slow_s=0.2)
    assert open_incident(faultfs.mount).evidence


def test_what_is_read_from_a_volume_is_written_into_a_file(faultfs: FaultFS, tmp_path: Path) -> None:
    (faultfs.backing / "train.log").write_text("step 1 | loss 2.0\nstep 2 | loss 1.9\n")
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    kept, said = tmp_path / "facts.jsonl", tmp_path / "said.txt"
    with kept.open("w") as out, said.open("w") as errors:
        command = [sys.executable, "-m", "diagnostics", "parse", "--json", str(faultfs.mount)]
        subprocess.run(command, stdout=out, stderr=errors, env=environment, check=False, timeout=60)
    assert said.read_text() == ""
    assert '"training_steps"' in kept.read_text()


def test_ctrl_c_ends_it_at_once(faultfs: FaultFS) -> None:
    (faultfs.backing / "train.log").write_text("step 1 | loss 2.0\n")
    faultfs.fail(hang=["read"])
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen(
        [sys.executable, "-m", "diagnostics", "parse", str(faultfs.mount)],
        stderr=subprocess.PIPE,
        env=environment,
        preexec_fn=_hears_ctrl_c,
    )
    place.wait_for(lambda: _children(process.pid), "the child that reads")
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=10)
    assert process.returncode == 130, said.decode()
    assert time.monotonic() - start < 8


def _hears_ctrl_c() -> None:
    """A shell starts what it puts into the background deaf to Ctrl-C, and so would be everything below it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _children(pid: int) -> str:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text()
