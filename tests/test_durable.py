"""Write so that it survives a crash; tell the orphan of a dead writer from a file in flight."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from diagnostics import durable


def test_a_reader_sees_the_old_bytes_or_the_new(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    durable.write_durably(path, b"old")
    durable.write_durably(path, b"new")
    assert path.read_bytes() == b"new"
    assert [each.name for each in tmp_path.iterdir()] == ["state.json"]


def test_a_failed_write_leaves_the_old_bytes_and_no_litter(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError):
        durable.write_durably(tmp_path / "taken", b"new")
    assert [each.name for each in tmp_path.iterdir()] == ["taken"]


def test_new_files_obey_the_umask_and_not_a_temporary_files_mode(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        durable.write_durably(tmp_path / "shared", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "shared").stat().st_mode & 0o777 == 0o640


def test_a_staging_name_tells_its_writer() -> None:
    staged = durable.staged_for(durable.staging_name("step_00000810.pt"))
    assert staged == ("step_00000810.pt", durable.this_writer())
    assert durable.staged_for("step_00000810.pt.part") is None


def test_the_living_and_the_dead() -> None:
    me = durable.this_writer()
    assert durable.liveness(me) == "live"
    assert durable.liveness(replace(me, started=me.started + 1)) == "dead"  # the pid was used again
    assert durable.liveness(replace(me, boot="000000")) == "dead"  # the machine was started again
    assert durable.liveness(replace(me, host="000000")) == "unknown"
    assert durable.liveness(replace(me, namespace="000000")) == "unknown"


def test_a_killed_writer_is_dead() -> None:
    code = "import sys; from diagnostics import durable; print(durable.this_writer(), flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        writer = durable.parse_writer(process.stdout.readline().strip())
        assert writer
        assert durable.liveness(writer) == "live"
        process.kill()
    assert durable.liveness(writer) == "dead"


def test_a_symbolic_link_in_the_place_of_a_new_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        durable.create_exclusively(tmp_path / "link")
    assert not (tmp_path / "elsewhere").exists()
