"""What lies behind a path and is not read is said: closed folders, links to folders, what outgrows the limit."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
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
    assert [row[:2] for row in found] == [("bomb.log.gz", 4 << 20), ("fits.log.gz", 4 << 20)]
    assert "larger than the limit" in found[0][2] and not found[1][2]


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
        (f"train.log.{suffix}", b"".join(halves), "") for suffix in ("bz2", "gz", "xz", "zst")
    ]


def packed(files: dict[str, bytes], mode: str = "w:gz") -> bytes:
    """Files as a tar."""
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return held.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return held.getvalue()


def test_files_of_one_name_in_two_folders_stay_apart(tmp_path: Path) -> None:
    for node in ("a", "b"):
        (tmp_path / node).mkdir()
        (tmp_path / node / "messages.gz").write_bytes(gzip.compress(b"of %s\n" % node.encode()))
        (tmp_path / node / "old.tar").write_bytes(packed({"messages": b"older\n"}, "w"))
    below = ["messages.gz", "old.tar/messages"]
    assert [each.name for each in artefacts(tmp_path)] == [f"{node}/{name}" for node in "ab" for name in below]
    assert [each.name for each in artefacts(tmp_path / "a", tmp_path / "b")] == [
        f"{node}/{name}" for node in "ab" for name in below
    ]
    both = [tmp_path / node / "messages.gz" for node in "ab"]
    assert [each.name for each in artefacts(*both)] == ["a/messages.gz", "b/messages.gz"]
    assert [each.name for each in artefacts(both[0])] == ["messages.gz"]


def test_what_is_compressed_inside_an_archive_is_read(tmp_path: Path) -> None:
    node = packed({"log/messages": b"new\n", "log/messages.1.gz": gzip.compress(b"old\n")})
    (tmp_path / "node.tar.gz").write_bytes(node)
    (tmp_path / "all.zip").write_bytes(zipped({"node.tar.gz": node, "job.err": b"end\n"}))
    assert {each.name: each.data for each in artefacts(tmp_path / "node.tar.gz")} == {
        "log/messages": b"new\n",
        "log/messages.1.gz": b"old\n",
    }
    assert {each.name: each.data for each in artefacts(tmp_path / "all.zip")} == {
        "node.tar.gz/log/messages": b"new\n",
        "node.tar.gz/log/messages.1.gz": b"old\n",
        "job.err": b"end\n",
    }


@pytest.mark.parametrize("deepest", [packed({"a.log": b"step 1\n"}), zipped({"a.log": b"step 1\n"})])
def test_an_archive_that_lies_too_deep_is_not_opened(tmp_path: Path, deepest: bytes) -> None:
    (tmp_path / "incident.tar").write_bytes(packed({"1.zip": zipped({"2": deepest, "b.log": b"step 2\n"})}, "w"))
    found = {each.name: (each.data, each.problem) for each in artefacts(tmp_path / "incident.tar")}
    assert found == {
        "1.zip/2": (b"", "an archive inside an archive inside an archive: unpack it"),
        "1.zip/b.log": (b"step 2\n", ""),
    }


def test_what_lies_inside_counts_for_the_whole_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a bomb of many small files that each grow a thousandfold."""
    monkeypatch.setattr(archives, "TOTAL_LIMIT", 5 << 20)
    small = gzip.compress(b"a\n" * (1 << 20))
    for name, bomb in (
        ("a.tar", packed({f"{n}.gz": small for n in range(9)}, "w")),
        ("b.zip", zipped({f"{n}.gz": small for n in range(9)})),
        ("c.zip", zipped({f"{n}.tar.gz": packed({"a.log": b"a\n" * (1 << 20)}) for n in range(9)})),
    ):
        (tmp_path / name).write_bytes(bomb)
        found = list(artefacts(tmp_path / name))
        assert sum(len(each.data) for each in found) <= 5 << 20
        assert any("limit" in each.problem for each in found)


def test_one_damaged_entry_of_a_zip_takes_no_other_with_it(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "incident.zip", "w") as archive:
        for name in ("a.log", "b.log", "c.log"):
            archive.writestr(name, f"step 1 of {name}\n")
    raw = (tmp_path / "incident.zip").read_bytes()
    (tmp_path / "incident.zip").write_bytes(raw.replace(b"step 1 of b", b"step 7 of b", 1))
    found = {each.name: each.problem for each in artefacts(tmp_path / "incident.zip")}
    assert found.keys() == {"a.log", "b.log", "c.log"}
    assert [name for name, problem in found.items() if problem] == ["b.log"]


def test_a_zip_of_too_many_entries_is_cut_there_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "ENTRIES_LIMIT", 2)
    with zipfile.ZipFile(tmp_path / "incident.zip", "w") as archive:
        for name in ("a.log", "b.log", "c.log"):
            archive.writestr(name, "step 1\n")
    found = {each.name: each.problem for each in artefacts(tmp_path / "incident.zip")}
    assert found == {
        "incident.zip": "the archive is larger than the limit; the rest was not read",
        "a.log": "",
        "b.log": "",
    }


@pytest.mark.root
def test_a_file_that_waits_for_the_kernel_is_not_waited_for() -> None:
    if os.geteuid() != 0 or not Path("/proc/kmsg").exists():
        pytest.skip("needs root, to open the kernel's messages")
    assert [each.name for each in artefacts("/proc/kmsg")] == ["kmsg"]
