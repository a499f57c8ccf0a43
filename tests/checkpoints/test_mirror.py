"""The twin path has the same discipline: whole or not at all, verified, resumable, out of the way."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any, ClassVar

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from diagnostics import durable
from diagnostics.checkpoints import mirror, publish, publish_bytes, publish_directory, resume_point, verify
from diagnostics.checkpoints.pacing import Pace
from diagnostics.cli import main

from .conftest import hidden, names, torch_file, visible


def test_everything_whole_arrives_whole_and_newest_first(run: Path, tmp_path: Path) -> None:
    report = mirror(run, tmp_path / "mirror")
    assert [each.step for each in report.entries] == [300, 200, 100]
    assert {each.state for each in report.entries} == {"copied"}
    assert verify(tmp_path / "mirror", deep=True).counts == {"complete": 3}
    assert {each.state for each in mirror(run, tmp_path / "mirror", deep=True).entries} == {"same"}


def test_damage_on_the_primary_is_not_spread(run: Path, tmp_path: Path) -> None:
    target = tmp_path / "mirror"
    mirror(run, target)
    os.truncate(run / "step_00000300.pt", 1000)
    report = mirror(run, target)
    assert [(each.step, each.mark) for each in report.entries] == [(300, "!"), (200, "="), (100, "=")]
    assert resume_point(run, target).side == target


def test_a_silent_flip_on_the_primary_is_caught_while_copying(run: Path, tmp_path: Path) -> None:
    path = run / "step_00000300.pt"
    content = bytearray(path.read_bytes())
    content[30_000] ^= 1
    path.write_bytes(content)
    report = mirror(run, tmp_path / "mirror")
    assert report.entries[0].state == "failed" and "other bytes than were published" in report.entries[0].because
    assert "step_00000300.pt" not in names(tmp_path / "mirror")


def test_a_truncated_copy_is_replaced(run: Path, tmp_path: Path) -> None:
    target = tmp_path / "mirror"
    mirror(run, target)
    os.truncate(target / "step_00000200.pt", 1000)
    assert "* step_00000200.pt" in mirror(run, target, dry_run=True).combined
    mirror(run, target)
    assert verify(target, deep=True).counts == {"complete": 3}


@pytest.mark.parametrize("left", ["a good beginning", "a bad beginning", "too much"])
def test_a_copy_that_was_cut_off_goes_on(run: Path, tmp_path: Path, left: str) -> None:
    target = tmp_path / "mirror"
    target.mkdir()
    record = next(each.record for each in verify(run) if each.step == 300)
    assert record
    content = (run / "step_00000300.pt").read_bytes()
    part = target / f".step_00000300.pt.{record.digest[:16]}.mirror.part"
    part.write_bytes(
        {"a good beginning": content[:20_000], "a bad beginning": b"x" * 20_000, "too much": content * 2}[left]
    )
    assert resume_point(run, target).side == run
    mirror(run, target)
    assert verify(target, deep=True).counts == {"complete": 3}
    assert hidden(target, ".part") == []


def test_a_good_beginning_is_not_copied_again(run: Path, tmp_path: Path) -> None:
    from diagnostics.checkpoints.copying import copy_and_check

    record = next(each.record for each in verify(run) if each.step == 300)
    assert record
    (tmp_path / "part").write_bytes((run / "step_00000300.pt").read_bytes()[:50_000])
    copied: list[int] = []

    class Counting(Pace):
        def __call__(self, count: int) -> None:
            copied.append(count)

    copy_and_check(run / "step_00000300.pt", tmp_path / "part", record, Counting())
    assert sum(copied) == record.size - 50_000


def test_a_directory_of_shards(tmp_path: Path) -> None:
    with publish_directory(tmp_path / "run", step=7) as folder:
        (folder / "sub").mkdir()
        (folder / "a.bin").write_bytes(b"a" * 1000)
        (folder / "sub" / "b.bin").write_bytes(b"b" * 500)
    mirror(tmp_path / "run", tmp_path / "mirror")
    assert verify(tmp_path / "mirror", deep=True).counts == {"complete": 1}
    (tmp_path / "mirror" / "step_00000007" / "a.bin").write_bytes(b"short")
    mirror(tmp_path / "run", tmp_path / "mirror")
    assert verify(tmp_path / "mirror", deep=True).counts == {"complete": 1}
    assert visible(tmp_path / "mirror") == ["step_00000007"]


def test_what_has_no_manifest_gets_one_on_the_mirror(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "epoch=1-step=9.ckpt").write_bytes(torch_file(9))
    mirror(tmp_path / "run", tmp_path / "mirror")
    (artefact,) = verify(tmp_path / "mirror", deep=True)
    assert (artefact.step, artefact.finding.proof) == (9, "manifest, xxh3_128")


def test_the_mode_of_a_private_checkpoint_stays_private(run: Path, tmp_path: Path) -> None:
    (run / "step_00000300.pt").chmod(0o600)
    mirror(run, tmp_path / "mirror")
    assert (tmp_path / "mirror" / "step_00000300.pt").stat().st_mode & 0o777 == 0o600


def test_the_rate_is_held(tmp_path: Path) -> None:
    pace = Pace(None, bytes_per_s=1e6)
    start = time.monotonic()
    for _ in range(10):
        pace(20_000)
    assert time.monotonic() - start >= 0.19


def test_the_next_save_comes_first(run: Path, tmp_path: Path) -> None:
    saving = run / durable.staging_name("step_00000400.pt")
    saving.write_bytes(b"half")
    done = threading.Thread(target=mirror, args=(run, tmp_path / "mirror"))
    done.start()
    deadline = time.monotonic() + 20
    while not (tmp_path / "mirror").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    done.join(0.3)
    assert done.is_alive() and visible(tmp_path / "mirror") == []
    saving.unlink()
    done.join(20)
    assert not done.is_alive()
    assert verify(tmp_path / "mirror").counts == {"complete": 3}


def test_two_mirrors_at_once_do_not_tear_each_other(run: Path, tmp_path: Path) -> None:
    threads = [threading.Thread(target=mirror, args=(run, tmp_path / "mirror")) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    mirror(run, tmp_path / "mirror")
    assert verify(tmp_path / "mirror", deep=True).counts == {"complete": 3}


def test_a_remote_behind_fsspec(run: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    url = "memory://checkpoints-test"
    try:
        assert {each.state for each in mirror(run, url).entries} == {"copied"}
        assert files.cat("/checkpoints-test/step_00000300.pt") == (run / "step_00000300.pt").read_bytes()
        assert {each.state for each in mirror(run, url, deep=True).entries} == {"same"}
        files.pipe_file("/checkpoints-test/step_00000300.pt", b"short")
        assert mirror(run, url, dry_run=True).entries[0].mark == "*"
        mirror(run, url)
        assert {each.state for each in mirror(run, url, deep=True).entries} == {"same"}
    finally:
        files.rm("/checkpoints-test", recursive=True)


class FileServer(MemoryFileSystem):
    """Moves by a rename that knows no `recursive`, as SFTP does; `fails` refuses to move what lies under a staging
    name.
    """

    protocol = ("sftp", "ssh")
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    fails = False

    def mv(self, old: str, new: str) -> None:
        if self.fails and old.endswith(".mirror.part"):
            raise ConnectionResetError("the server went away")
        super().mv(old, new, recursive=True)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> FileServer:
    files = FileServer(skip_instance_cache=True)
    files.store.clear()
    monkeypatch.setattr("fsspec.core.url_to_fs", lambda url, **options: (files, "/mirror"))
    return files


def test_the_old_copy_keeps_its_name_until_the_new_one_takes_it(run: Path, server: FileServer) -> None:
    assert {each.state for each in mirror(run, "sftp://server/mirror").entries} == {"copied"}
    old = server.cat("/mirror/step_00000300.pt")
    (run / "step_00000300.pt").unlink()
    publish_bytes(run, torch_file(300) + b" again", 300)
    server.fails = True
    report = mirror(run, "sftp://server/mirror")
    assert (report.entries[0].state, "went away" in report.entries[0].because) == ("failed", True)
    assert server.cat("/mirror/step_00000300.pt") == old
    server.fails = False
    assert mirror(run, "sftp://server/mirror").entries[0].state == "copied"
    assert server.cat("/mirror/step_00000300.pt") == torch_file(300) + b" again"
    assert not [name for name in server.find("/mirror") if name.endswith(".part")]


def test_what_a_killed_mirror_moved_aside_is_cleared_away(run: Path, server: FileServer) -> None:
    server.pipe_file("/mirror/.step_00000300.pt.replaced.part", b"older still")
    mirror(run, "sftp://server/mirror")
    assert not [name for name in server.find("/mirror") if name.endswith(".part")]


def test_a_directory_of_shards_behind_fsspec_is_replaced(tmp_path: Path, server: FileServer) -> None:
    with publish_directory(tmp_path / "run", step=7) as folder:
        (folder / "a.bin").write_bytes(b"a" * 1000)
    mirror(tmp_path / "run", "sftp://server/mirror")
    server.pipe_file("/mirror/step_00000007/a.bin", b"short")
    assert mirror(tmp_path / "run", "sftp://server/mirror").entries[0].state == "copied"
    assert server.find("/mirror/step_00000007") == ["/mirror/step_00000007/a.bin"]
    assert {each.state for each in mirror(tmp_path / "run", "sftp://server/mirror", deep=True).entries} == {"same"}


def test_the_command(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    publish_bytes(tmp_path / "mirror", torch_file(1), 1)
    assert main(["checkpoint", "mirror", str(run), str(tmp_path / "mirror"), "--combined", "--dry-run"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "+ step_00000300.pt",
        "+ step_00000200.pt",
        "+ step_00000100.pt",
        "- step_00000001.pt",
    ]
    os.truncate(run / "step_00000300.pt", 10)
    assert main(["checkpoint", "mirror", str(run), str(tmp_path / "mirror"), "--rate", "100M"]) == 1
    assert "1 of 4 could not be mirrored" in capsys.readouterr().err


def test_a_save_while_its_directory_is_mirrored(run: Path, tmp_path: Path) -> None:
    with publish(run, step=400) as file:
        file.write(torch_file(400))
        assert "step_00000400.pt" not in [each.name for each in mirror(run, tmp_path / "m", dry_run=True).entries]
