"""Every cleanup knows about the last good one, files in flight, unknown times and the other side."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from diagnostics import durable
from diagnostics.checkpoints import (
    Retention,
    mirror,
    plan_prune,
    publish_bytes,
    publish_directory,
    resume_point,
    verify,
)
from diagnostics.cli import main
from diagnostics.errors import CheckpointError, UnreadableInput, UsageError

from .conftest import names, torch_file, visible

OLD = 7200.0


def age(directory: Path, seconds: float = OLD) -> None:
    """Make everything in a directory look as if it had been written so long ago."""
    then = time.time() - seconds
    for path in directory.rglob("*"):
        if not path.is_symlink():
            os.utime(path, (then, then))


@pytest.fixture
def long_run(tmp_path: Path) -> Path:
    """Ten whole steps, 100 to 1000, two hours old; the loss is lowest at 400."""
    directory = tmp_path / "run"
    for step in range(100, 1001, 100):
        publish_bytes(directory, torch_file(step), step, metrics={"loss": abs(step - 400) / 100})
    age(directory)
    return directory


def steps(directory: Path) -> list[int]:
    return sorted(each.step or 0 for each in verify(directory) if each.state == "complete")


def test_a_plan_deletes_nothing(long_run: Path) -> None:
    before = names(long_run)
    plan = plan_prune(long_run, retention=Retention(keep=3))
    assert [each.artefact.step for each in plan.deletions] == [700, 600, 500, 400, 300, 200, 100]
    assert names(long_run) == before


def test_newest_every_and_best(long_run: Path) -> None:
    plan_prune(long_run, retention=Retention(keep=2, every=500, best=1)).execute()
    assert steps(long_run) == [400, 500, 900, 1000]
    assert len(names(long_run)) == 8  # the records of the deleted ones went with them


def test_both_sides_keep_the_same_steps(long_run: Path, tmp_path: Path) -> None:
    target = tmp_path / "mirror"
    mirror(long_run, target)
    age(target)
    (target / "step_00001000.pt").unlink()  # the mirror lags behind
    plan_prune(long_run, target, retention=Retention(keep=1)).execute()
    assert steps(long_run) == [900, 1000]
    assert steps(target) == [900]  # its own last whole one, which the primary keeps as well


def test_a_broken_newest_does_not_count_as_kept(long_run: Path) -> None:
    os.truncate(long_run / "step_00001000.pt", 1000)
    age(long_run)
    plan_prune(long_run, retention=Retention(keep=2)).execute()
    assert steps(long_run) == [800, 900]
    assert "step_00001000.pt" in visible(long_run)
    assert resume_point(long_run).step == 900


def touch(path: Path, when: float) -> None:
    os.utime(path, (when, when))


GUARDS: dict[str, tuple[Callable[[Path], None], str]] = {
    "touched a minute ago": (lambda path: touch(path, time.time() - 60), "may be in flight"),
    "time zero": (lambda path: touch(path, 0), "does not say when"),
    "in the future": (lambda path: touch(path, time.time() + 9999), "in the future"),
    "a live writer": (lambda path: path.with_name(durable.staging_name(path.name)).touch(), "in flight"),
    "a mirror's copy": (lambda path: path.with_name(f".{path.name}.{'0' * 16}.mirror.part").touch(), "in flight"),
    "somebody's .part": (lambda path: path.with_name(f"{path.name}.part").touch(), "in flight"),
}


@pytest.mark.parametrize("guard", GUARDS)
def test_guards(long_run: Path, guard: str) -> None:
    path = long_run / "step_00000100.pt"
    prepare, reason = GUARDS[guard]
    prepare(path)
    plan = plan_prune(long_run, retention=Retention(keep=1))
    item = next(each for each in plan.items if each.artefact.path == path)
    assert not item.delete and reason in item.because
    plan.execute()
    assert path.exists()


def test_in_flight_on_the_other_side(long_run: Path, tmp_path: Path) -> None:
    target = tmp_path / "mirror"
    mirror(long_run, target, newest=3)
    age(target)
    (target / f".step_00000200.pt.{'0' * 16}.mirror.part").touch()
    plan_prune(long_run, target, retention=Retention(keep=1)).execute()
    assert steps(long_run) == [200, 1000]


def test_what_an_upload_still_reads_stays(long_run: Path) -> None:
    plan_prune(long_run, retention=Retention(keep=1), needed={300}).execute()
    assert steps(long_run) == [300, 1000]


def test_what_changed_after_the_plan_is_spared(long_run: Path) -> None:
    plan = plan_prune(long_run, retention=Retention(keep=1))
    (long_run / "step_00000300.pt").write_bytes(torch_file(3))
    outcome = plan.execute()
    assert [path.name for path, _ in outcome.spared] == ["step_00000300.pt"]
    assert steps(long_run) == [1000] or "step_00000300.pt" in visible(long_run)


def test_the_last_whole_one_went_bad_after_the_plan(long_run: Path) -> None:
    plan = plan_prune(long_run, retention=Retention(keep=1))
    os.truncate(long_run / "step_00001000.pt", 1000)
    plan.execute()
    assert resume_point(long_run).step == 900


def test_a_directory_with_nothing_whole_is_left_alone(tmp_path: Path) -> None:
    for step in range(5):
        (tmp_path / f"step_{step}.pt").write_bytes(b"PK\x03\x04 cut off")
    age(tmp_path)
    assert plan_prune(tmp_path, retention=Retention(keep=1)).deletions == ()


def test_what_nothing_proves_is_left_alone(long_run: Path) -> None:
    (long_run / "step_1.pt").write_bytes(b"\x80\x02 a pickle of old times")
    age(long_run)
    plan_prune(long_run, retention=Retention(keep=1)).execute()
    assert visible(long_run) == ["step_00001000.pt", "step_1.pt"]


def test_orphans_of_the_dead_go_and_others_stay(long_run: Path) -> None:
    me = durable.this_writer()
    dead = long_run / f".step_1.pt.{me.host}{me.boot}{me.namespace}-{me.pid}-1-abcdef.part"
    live = long_run / durable.staging_name("step_2.pt")
    dead.touch()
    live.touch()
    plan_prune(long_run).execute()
    assert (dead.exists(), live.exists()) == (False, True)


def test_directories_go_whole(tmp_path: Path) -> None:
    for step in (1, 2, 3):
        with publish_directory(tmp_path, step=step) as folder:
            (folder / "a.bin").write_bytes(bytes(100))
    age(tmp_path)
    plan_prune(tmp_path, retention=Retention(keep=1)).execute()
    assert visible(tmp_path) == ["step_00000003"] and len(names(tmp_path)) == 2


def test_room_for_the_next_save(long_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from diagnostics.checkpoints import pruning

    one = (long_run / "step_00001000.pt").stat().st_size
    monkeypatch.setattr(pruning, "free_bytes", lambda path: 100)
    plan = plan_prune(long_run, make_room=3 * one + 200)
    assert [each.artefact.step for each in plan.deletions] == [400, 300, 200, 100]
    assert plan.makes_room
    plan.execute()
    assert steps(long_run) == [500, 600, 700, 800, 900, 1000]


def test_room_that_cannot_be_made_is_said_and_nothing_deleted(long_run: Path) -> None:
    plan = plan_prune(long_run, make_room=1 << 60)
    assert not plan.makes_room and "only" in plan.notes[0]
    with pytest.raises(CheckpointError, match="cannot be given"):
        plan.execute()
    assert len(steps(long_run)) == 10


def test_a_side_that_cannot_be_seen_steers_no_deletion(long_run: Path, tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput):
        plan_prune(long_run, tmp_path / "unmounted")


def test_keeping_none_is_refused(long_run: Path) -> None:
    with pytest.raises(UsageError):
        plan_prune(long_run, retention=Retention(keep=0))


def test_the_command(long_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["checkpoint", "prune", str(long_run), "--keep", "9", "--dry-run"]) == 0
    assert "1 of 10 to delete" in capsys.readouterr().out
    assert len(steps(long_run)) == 10
    assert main(["checkpoint", "prune", str(long_run), "--keep", "9"]) == 0
    assert len(steps(long_run)) == 9
    assert main(["checkpoint", "prune", str(long_run), "--make-room", "999T"]) == 1
