"""Hostile and broken input is reported; nothing raises, nothing is written outside, the rest is still read."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from diagnostics import archives
from diagnostics.archives import safe_name
from diagnostics.cli import main
from diagnostics.errors import UnreadableInput
from diagnostics.evidence import ReadState
from diagnostics.incident import open_incident

MOUNTS = "mfs\\04310.0.0.1:9421 /workspace fuse rw,nosuid,nodev,relatime,user_id=0,group_id=0,allow_other 0 0\n"


def states(path: Path) -> dict[str, ReadState]:
    return {each.file: each.state for each in open_incident(path).coverage}


@pytest.fixture
def incident(tmp_path: Path) -> Path:
    folder = tmp_path / "incident"
    folder.mkdir()
    (folder / "mounts.txt").write_text(MOUNTS)
    return folder


@pytest.mark.parametrize(
    ("content", "state"),
    [
        (b"", ReadState.EMPTY),
        (b"\n \n", ReadState.EMPTY),
        (bytes(range(256)) * 20, ReadState.UNRECOGNISED),
        (b"zq 17 %% 0x1f ;; \x00\x00\n" * 3, ReadState.UNRECOGNISED),
        (b"PK\x03\x04 not a zip", ReadState.UNREADABLE),
        (b"\x1f\x8b\x08\x00 not gzip", ReadState.UNREADABLE),
        (MOUNTS.encode()[:-1], ReadState.CUT),
        (MOUNTS.replace("\n", "\r\n").encode(), ReadState.READ),
        (MOUNTS.encode("utf-16"), ReadState.READ),
        (b"\xef\xbb\xbf" + MOUNTS.encode(), ReadState.READ),
        (MOUNTS.encode() + b"x" * 10_000_000 + b"\n", ReadState.READ),
    ],
    ids="empty blank binary nul bad-zip bad-gzip torn crlf utf-16 bom long-line".split(),
)
def test_each_bad_file_is_covered_and_the_rest_is_read(incident: Path, content: bytes, state: ReadState) -> None:
    (incident / "odd.txt").write_bytes(content)
    found = states(incident)
    assert found["odd.txt"] is state
    assert found["mounts.txt"] is ReadState.READ
    if state in (ReadState.READ, ReadState.CUT):
        assert len([f for f in open_incident(incident).evidence if f.kind == "mount"]) == 2


def archive(tmp_path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    path = tmp_path / "incident.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for info, data in members:
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def link(name: str, target: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = tarfile.SYMTYPE, target
    return info


def test_an_archive_is_read_and_cannot_reach_outside(tmp_path: Path) -> None:
    path = archive(
        tmp_path,
        (tarfile.TarInfo("in/mounts.txt"), MOUNTS.encode()),
        (tarfile.TarInfo("../../escaped.txt"), b"gone"),
        (tarfile.TarInfo("/etc/escaped.txt"), b"gone"),
        (link("link.txt", "/etc/passwd"), b""),
    )
    before = set(tmp_path.rglob("*"))
    found = states(path)
    assert found["in/mounts.txt"] is ReadState.READ
    assert sum(state is ReadState.UNREADABLE for state in found.values()) == 3
    assert set(tmp_path.rglob("*")) == before
    assert not Path("/etc/escaped.txt").exists()


def test_a_truncated_archive_gives_what_it_holds(tmp_path: Path) -> None:
    noise = os.urandom(200_000)
    path = archive(tmp_path, (tarfile.TarInfo("mounts.txt"), MOUNTS.encode()), (tarfile.TarInfo("noise.bin"), noise))
    path.write_bytes(path.read_bytes()[:100_000])
    found = states(path)
    assert found["mounts.txt"] is ReadState.READ
    assert found["incident.tar.gz"] is ReadState.UNREADABLE


@pytest.mark.parametrize("content", [b"", b"\0" * 10240, b"\x1f\x8b"], ids="zero-bytes zero-blocks two-bytes".split())
def test_an_archive_with_nothing_in_it_is_no_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "empty.tar"
    path.write_bytes(content)
    assert not open_incident(path).evidence
    assert states(path)["empty.tar"] in (ReadState.EMPTY, ReadState.UNREADABLE, ReadState.UNRECOGNISED)


def test_zip_and_single_gzip(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "i.zip", "w") as zipped:
        zipped.writestr("mounts.txt", MOUNTS)
        zipped.writestr("../up.txt", MOUNTS)
    found = states(tmp_path / "i.zip")
    assert found["mounts.txt"] is ReadState.READ
    assert found["i.zip: ../up.txt"] is ReadState.UNREADABLE
    (tmp_path / "mounts.gz").write_bytes(gzip.compress(MOUNTS.encode()))
    assert states(tmp_path / "mounts.gz") == {"mounts.gz": ReadState.READ}


def test_links_in_a_folder_are_not_followed(incident: Path) -> None:
    (incident / "passwd.txt").symlink_to("/etc/passwd")
    assert states(incident)["passwd.txt"] is ReadState.UNREADABLE


@pytest.mark.parametrize("bad", ["missing", "empty"])
def test_a_path_that_is_none_is_one_line_and_status_1(
    tmp_path: Path, bad: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / bad
    if bad == "empty":
        path.mkdir()
    with pytest.raises(UnreadableInput):
        open_incident(path)
    assert main(["diagnose", str(path)]) == 1
    said = capsys.readouterr()
    assert not said.out
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "C:\\x", "\\x", "", "a\0b"])
def test_names_that_point_outside(name: str) -> None:
    assert safe_name(name) is None


def test_control_characters_never_reach_the_terminal(incident: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (incident / "\x1b]0;owned\x07.txt").write_text("\x1b[2Jnobody parses this\n")
    assert main(["diagnose", str(incident)]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_json_is_json_whatever_the_input(incident: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (incident / "odd\udcff.txt").write_bytes(b"\xff\xfe\x00 odd")
    assert main(["diagnose", str(incident), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "diagnosis/1"


def zeros(path: Path, size: int) -> None:
    """An archive with one entry of zeros: a few kilobytes that want to be gigabytes."""
    with tarfile.open(path, "w:gz", compresslevel=1) as tar:
        info = tarfile.TarInfo("zeros.log")
        info.size = size
        with open("/dev/zero", "rb") as source:
            tar.addfile(info, source)


@pytest.mark.parametrize("shape", ["tar", "zip", "gzip", "nested"])
def test_a_decompression_bomb_stops_at_the_limit(tmp_path: Path, shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "ENTRY_LIMIT", 8 << 20)
    monkeypatch.setattr(archives, "TOTAL_LIMIT", 20 << 20)
    path = tmp_path / "bomb"
    size = 64 << 20
    if shape == "gzip":
        path.write_bytes(gzip.compress(b"zeros\n" * (size // 6), compresslevel=1))
    elif shape == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as zipped:
            for n in range(8):
                zipped.writestr(f"{n}.log", bytes(7 << 20))
            zipped.writestr("large.log", bytes(size))
    elif shape == "tar":
        with tarfile.open(path, "w:gz", compresslevel=1) as tar:
            for n in range(8):
                info = tarfile.TarInfo(f"{n}.log")
                info.size = 7 << 20
                tar.addfile(info, io.BytesIO(bytes(info.size)))
    else:
        zeros(tmp_path / "inner.tar.gz", size)
        with zipfile.ZipFile(path, "w") as zipped:
            zipped.write(tmp_path / "inner.tar.gz", "inner.tar.gz")
        (tmp_path / "inner.tar.gz").unlink()
    tracemalloc.start()
    given = [(artefact.problem, len(artefact.data)) for artefact in archives.artefacts(path)]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(size for _, size in given) <= (20 << 20) + (8 << 20)
    assert most < 40 << 20
    if shape != "nested":  # an archive in an archive is left alone: its bytes are no text
        assert any("limit" in problem for problem, _ in given)
    assert open_incident(path).coverage


@pytest.mark.parametrize("size", [9 << 20, 1 << 30])
def test_an_entry_that_is_too_large_is_not_read(tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "ENTRY_LIMIT", 8 << 20)
    monkeypatch.setattr(archives, "TOTAL_LIMIT", 20 << 20)
    path = tmp_path / "bomb.tar.gz"
    zeros(path, min(size, 20 << 20))
    if size > 20 << 20:  # what it claims, in a header whose data never comes
        info = tarfile.TarInfo("zeros.log")
        info.size = size
        path.write_bytes(gzip.compress(info.tobuf() + bytes(1 << 20)))
    (artefact,) = archives.artefacts(path)
    assert "limit" in artefact.problem
    assert not artefact.data
