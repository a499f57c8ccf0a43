"""What lies behind a path and is not read is said: closed folders, links to folders, what outgrows the limit."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import tempfile
import zipfile
from pathlib import Path

import pytest
import zstandard

from diagnostics import archives
from diagnostics.archives import artefacts


@pytest.mark.root
def test_a_folder_that_may_not_be_opened_is_said() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root, to become somebody who may not open a folder")
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        top.chmod(0o755)
        (top / "a.log").write_text("step 1\n")
        (top / "closed").mkdir(mode=0o700)
        (top / "closed" / "b.log").write_text("step 2\n")
        os.seteuid(65534)
        try:
            found = {each.name: each.problem for each in artefacts(top)}
        finally:
            os.seteuid(0)
    assert found == {"a.log": "", "closed": "a folder that cannot be opened: Permission denied"}


def test_a_link_to_a_folder_is_said_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").symlink_to("/etc")
    (tmp_path / "itself").symlink_to(".")
    found = {each.name: each.problem for each in artefacts(tmp_path)}
    assert found == dict.fromkeys(("elsewhere", "itself"), "a symbolic link; not followed")


def test_what_outgrows_the_limit_is_cut_there_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "ENTRY_LIMIT", 4 << 20)
    (tmp_path / "bomb.log.gz").write_bytes(gzip.compress(b"a\n" * (8 << 20)))
    (tmp_path / "fits.log.gz").write_bytes(gzip.compress(b"a\n" * (2 << 20)))
    found = [(each.name, len(each.data), each.problem) for each in artefacts(tmp_path)]
    assert [row[:2] for row in found] == [("bomb.log", 4 << 20), ("bomb.log.gz", 0), ("fits.log", 4 << 20)]
    assert "larger than the limit" in found[1][2]


def test_one_file_is_read_whatever_compressed_it(tmp_path: Path) -> None:
    halves = [b"step 1\n", b"step 2\n"]  # as two frames, which a file that was appended to has
    for suffix, compress in (
        ("gz", gzip.compress),
        ("bz2", bz2.compress),
        ("xz", lzma.compress),
        ("zst", zstandard.compress),
    ):
        (tmp_path / f"train.log.{suffix}").write_bytes(b"".join(map(compress, halves)))
    assert [(each.name, each.data, each.problem) for each in artefacts(tmp_path)] == [
        ("train.log", b"".join(halves), "")
    ] * 4


def test_one_damaged_entry_of_a_zip_takes_no_other_with_it(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "incident.zip", "w") as archive:
        for name in ("a.log", "b.log", "c.log"):
            archive.writestr(name, f"step 1 of {name}\n")
    raw = (tmp_path / "incident.zip").read_bytes()
    (tmp_path / "incident.zip").write_bytes(raw.replace(b"step 1 of b", b"step 7 of b", 1))
    found = {each.name: each.problem for each in artefacts(tmp_path)}
    assert found.keys() == {"a.log", "b.log", "c.log"}
    assert [name for name, problem in found.items() if problem] == ["b.log"]


def test_a_zip_of_too_many_entries_is_cut_there_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "ENTRIES_LIMIT", 2)
    with zipfile.ZipFile(tmp_path / "incident.zip", "w") as archive:
        for name in ("a.log", "b.log", "c.log"):
            archive.writestr(name, "step 1\n")
    found = {each.name: each.problem for each in artefacts(tmp_path)}
    assert found == {"incident.zip": "only its first 2 entries were read: it holds more", "a.log": "", "b.log": ""}


@pytest.mark.root
def test_a_file_that_waits_for_the_kernel_is_not_waited_for() -> None:
    if os.geteuid() != 0 or not Path("/proc/kmsg").exists():
        pytest.skip("needs root, to open the kernel's messages")
    assert [each.name for each in artefacts("/proc/kmsg")] == ["kmsg"]
