"""Ten things that happened to a long run and its mirror, on real filesystems; resume is always the last whole step.

A launcher copied checkpoints straight onto their final names, and a reboot cost 800 steps. The mirror did the
same, and a file of 1.82 of 2.47 GB passed a check for 50 MB. Here primary and mirror lie on different
filesystems: ext4 on a loop device, tmpfs, FUSE, and a real MooseFS.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from diagnostics import durable
from diagnostics.checkpoints import Retention, mirror, plan_prune, publish, publish_bytes, resume_point, verify
from diagnostics.errors import CheckpointError, NothingToResume, PublishError
from tests.faults.faultfs import FaultFS
from tests.faults.local import SmallDisk
from tests.faults.moosefs import MooseFS
from tests.faults.place import require, wait_for

from .conftest import hidden, torch_file, visible
from .test_prune import age

MIB = 1 << 20
BIG = 8 * MIB


def save(directory: Path, step: int, size: int = BIG) -> None:
    publish_bytes(directory, torch_file(step, size), step)


@pytest.fixture
def ram() -> Iterator[Path]:
    """A folder on tmpfs, which is another filesystem than that of the temporary folder."""
    if not Path("/dev/shm").is_dir():
        pytest.skip("needs /dev/shm")
    folder = Path("/dev/shm") / f"diagnostics-checkpoints-{os.getpid()}"
    folder.mkdir()
    yield folder
    subprocess.run(["rm", "-rf", str(folder)], check=True)


HALF_A_SAVE = """
import sys, time
from pathlib import Path
from diagnostics.checkpoints import publish
with publish(sys.argv[1], step=810) as file:
    file.write(bytes(4 << 20))
    print("half", flush=True)
    time.sleep(600)
"""


def killed_in_mid_save(directory: Path) -> Path:
    """A writer that is killed when half of step 810 is written; returns what it left behind."""
    with subprocess.Popen(
        [sys.executable, "-c", HALF_A_SAVE, str(directory)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "half\n"
        process.send_signal(signal.SIGKILL)
    return directory / hidden(directory, ".part")[0]


def test_1_a_reboot_in_mid_write(tmp_path: Path) -> None:
    save(tmp_path, 800)
    orphan = killed_in_mid_save(tmp_path)
    me = str(durable.this_writer())
    rebooted = orphan.with_name(orphan.name.replace(me[6:12], "0b00f0"))  # the same machine, started again since
    orphan.rename(rebooted)
    assert resume_point(tmp_path, deep=True).step == 800
    save(tmp_path, 810)
    assert not rebooted.exists()
    assert resume_point(tmp_path, deep=True).step == 810


def test_2_the_orphan_of_a_dead_process_and_a_writer_that_lives(tmp_path: Path) -> None:
    save(tmp_path, 800)
    orphan = killed_in_mid_save(tmp_path)
    states = {each.path.name: each.writer for each in verify(tmp_path) if each.state == "staging"}
    assert states == {orphan.name: "dead"}
    with publish(tmp_path, step=820) as file:
        file.write(torch_file(820))
        assert not orphan.exists()
        save(tmp_path, 815)  # its clean-up must not touch the file above
    assert [each.step for each in verify(tmp_path, deep=True)] == [820, 815, 800]


@pytest.mark.root
def test_3_a_really_full_disk(small_disk: SmallDisk) -> None:
    run = small_disk.mount / "run"
    for step in (1, 2, 3):
        save(run, step)
    small_disk.fill(leave=BIG // 2)
    with pytest.raises(PublishError, match="No space left") as caught:
        save(run, 4)
    assert "checkpoint prune" in caught.value.remedy
    assert hidden(run, ".part") == []
    assert [each.step for each in verify(run, deep=True)] == [3, 2, 1]
    age(run)
    plan = plan_prune(run, make_room=BIG + MIB)
    assert plan.makes_room and [each.artefact.step for each in plan.deletions] == [1]
    plan.execute()
    save(run, 4)
    assert [each.step for each in verify(run, deep=True)] == [4, 3, 2]
    with pytest.raises(CheckpointError, match="cannot be given"):
        plan_prune(run, make_room=small_disk.size).execute()


@pytest.mark.root
def test_3_not_one_byte_left(small_disk: SmallDisk) -> None:
    run = small_disk.mount / "run"
    save(run, 1)
    with (small_disk.mount / "ballast").open("wb", buffering=0) as ballast, pytest.raises(OSError, match="No space"):
        while True:
            ballast.write(bytes(4096))
    with pytest.raises(PublishError, match="No space left"):
        save(run, 2)
    assert resume_point(run, deep=True).step == 1


@pytest.mark.root
def test_3_torch_save_onto_a_full_disk_says_full(small_disk: SmallDisk) -> None:
    """torch.save turns ENOSPC into "unexpected pos 704 vs 598"; what the system said must come through."""
    torch = pytest.importorskip("torch")
    small_disk.fill(leave=2 * MIB)
    with pytest.raises(PublishError, match="No space left"), publish(small_disk.mount / "run", step=1) as file:
        torch.save({"weight": torch.zeros(BIG // 4), "bias": torch.zeros(BIG // 4)}, file)
    assert hidden(small_disk.mount / "run", ".part") == []


def test_4_primary_and_mirror_on_different_filesystems(tmp_path: Path, ram: Path) -> None:
    assert tmp_path.stat().st_dev != ram.stat().st_dev
    for step in (1, 2):
        save(tmp_path / "run", step)
    mirror(tmp_path / "run", ram)
    assert verify(ram, deep=True).counts == {"complete": 2}
    os.truncate(tmp_path / "run" / "step_00000002.pt", MIB)
    assert resume_point(tmp_path / "run", ram, deep=True).side == ram


@pytest.mark.root
def test_5_the_mirror_runs_full_in_the_middle_of_a_copy(tmp_path: Path, small_disk: SmallDisk) -> None:
    target = small_disk.mount / "mirror"
    save(tmp_path, 1)
    mirror(tmp_path, target)
    save(tmp_path, 2)
    small_disk.fill(leave=BIG // 2)
    (entry, _) = mirror(tmp_path, target).entries
    assert entry.state == "failed" and "No space left" in entry.because
    assert visible(target) == ["step_00000001.pt"]
    assert resume_point(target, deep=True).step == 1
    (small_disk.mount / "ballast").unlink()
    mirror(tmp_path, target)
    assert verify(target, deep=True).counts == {"complete": 2}


@pytest.mark.fuse
@pytest.mark.root
@pytest.mark.parametrize(
    "fault",
    [
        {"eio": ["write"]},
        {"eio": ["fsync"]},
        {"eio": ["flush"]},
        {"eio": ["rename"]},
        {"flip_at": 3 * MIB},
        {"drop_after": 5 * MIB},
    ],
)
def test_6_a_volume_that_fails_or_lies(tmp_path: Path, faultfs: FaultFS, fault: dict[str, object]) -> None:
    """An error at close is swallowed by many writers, and a dropped tail or a flipped bit is noticed by none."""
    run = faultfs.mount / "run"
    save(run, 1)
    faultfs.fail(only="step_00000002", **fault)
    with pytest.raises(PublishError):
        save(run, 2)
    faultfs.heal()
    assert visible(run) == ["step_00000001.pt"]
    save(tmp_path, 2)
    faultfs.fail(only="step_00000002", **fault)
    assert mirror(tmp_path, run).failed
    faultfs.heal()
    assert resume_point(run, deep=True).step == 1
    assert not mirror(tmp_path, run).failed
    assert resume_point(run, deep=True).step == 2


@pytest.mark.moosefs
@pytest.mark.root
@pytest.mark.timeout(240)
def test_7_moosefs_loses_its_chunkservers_in_mid_save(tmp_path: Path, moosefs: MooseFS) -> None:
    require("mfsmaster", root=True, fuse=True)
    run = moosefs.mount / "run"
    save(run, 1)
    mirror(run, tmp_path)
    with pytest.raises(PublishError), publish(run, step=2) as file:
        for part in range(200):
            file.write(os.urandom(MIB))
            if part == 70:
                moosefs.kill()
    moosefs.revive()
    wait_for(lambda: _answers(run), "the volume to serve again", 90)
    assert visible(run) == ["step_00000001.pt"]
    assert resume_point(run, tmp_path, deep=True).step == 1
    save(run, 2)
    assert resume_point(run, tmp_path, deep=True).step == 2


def _answers(run: Path) -> bool:
    try:
        return resume_point(run, deep=True).step == 1
    except (NothingToResume, OSError):
        return False


def test_8_a_mirror_that_nobody_pruned(tmp_path: Path, ram: Path) -> None:
    for step in range(46):
        save(tmp_path / "run", step, 4000)
    mirror(tmp_path / "run", ram)
    age(tmp_path / "run")
    age(ram)
    save(tmp_path / "run", 46, 4000)  # not mirrored yet
    plan_prune(tmp_path / "run", ram, retention=Retention(keep=12)).execute()
    assert [each.step for each in verify(tmp_path / "run", deep=True)] == list(range(46, 34, -1))
    assert [each.step for each in verify(ram, deep=True)] == list(range(45, 34, -1))


@pytest.mark.fuse
@pytest.mark.root
def test_9_a_volume_that_does_not_tell_the_time(faultfs: FaultFS) -> None:
    run = faultfs.mount / "run"
    for step in (1, 2, 3):
        save(run, step, 4000)
    age(run)
    faultfs.fail(mtime_zero=True)
    plan = plan_prune(run, retention=Retention(keep=1))
    assert plan.deletions == ()
    assert "does not say when" in str(plan)
    faultfs.heal()
    assert len(plan_prune(run, retention=Retention(keep=1)).deletions) == 2


def test_10_a_truncated_file_that_any_size_floor_lets_pass(tmp_path: Path, ram: Path) -> None:
    """Three quarters of a checkpoint, far above any floor, on both sides, and a launcher that copied in place."""
    for step in (800, 810):
        save(tmp_path / "run", step)
    mirror(tmp_path / "run", ram)
    for side in (tmp_path / "run", ram):
        os.truncate(side / "step_00000810.pt", BIG * 182 // 247)
    (ram / "step_00000900.pt").write_bytes(torch_file(900, BIG)[: BIG * 182 // 247])  # copied, cut, no manifest
    point = resume_point(tmp_path / "run", ram)
    assert point.step == 800
    assert [(each.step, each.state) for each in point.rejected] == [
        (900, "truncated"),
        (810, "truncated"),
        (810, "truncated"),
    ]
