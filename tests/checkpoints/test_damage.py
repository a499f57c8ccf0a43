"""A catalogue of damage: whatever happened to an artefact, it never passes for whole."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diagnostics.checkpoints import publish_bytes, publish_directory, resume_point, verify
from diagnostics.checkpoints.finding import State

from .conftest import CONTENT, names, safetensors_file, torch_file

LAST = "step_00000300.pt"


def manifest_of(directory: Path, name: str) -> Path:
    return next(directory / each for each in names(directory) if each.startswith(f".{name}."))


def state_of(directory: Path, name: str, deep: bool = True) -> str:
    return next(str(each.state) for each in verify(directory, deep) if each.path.name == name)


def cut(path: Path, keep: int) -> None:
    os.truncate(path, keep)


def flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 0x10
    path.write_bytes(content)


def zero_tail(path: Path, count: int) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:-count] + bytes(count))


@pytest.mark.parametrize("suffix", CONTENT)
@pytest.mark.parametrize("with_manifest", [True, False])
def test_cut_at_any_byte(tmp_path: Path, suffix: str, with_manifest: bool) -> None:
    content = CONTENT[suffix](3)
    name = f"step_3{suffix}"
    publish_bytes(tmp_path, content, 3, name=name)
    if not with_manifest:
        manifest_of(tmp_path, name).unlink()
    size = len(content)
    for keep in {0, 1, 7, 8, 9, 63, 64, 65, *range(100, size, 997), *range(size - 200, size)}:
        (tmp_path / name).write_bytes(content[:keep])
        artefact = next(iter(verify(tmp_path, deep=False)))
        assert artefact.finding.is_broken, keep
        if with_manifest:
            assert (artefact.state, artefact.finding.missing) == (State.TRUNCATED, size - keep)


@pytest.mark.parametrize("suffix", CONTENT)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 0.999999))
def test_a_flipped_bit_anywhere(tmp_path: Path, suffix: str, place: float) -> None:
    content = CONTENT[suffix](3)
    name = f"step_3{suffix}"
    publish_bytes(tmp_path, content, 3, name=name)
    flip(tmp_path / name, int(place * len(content)))
    assert state_of(tmp_path, name) in ("altered", "unreadable", "truncated")


DAMAGE: dict[str, Callable[[Path], None]] = {
    "zeros at the end": lambda run: zero_tail(run / LAST, 4096),
    "all zeros": lambda run: zero_tail(run / LAST, (run / LAST).stat().st_size),
    "bytes added": lambda run: (run / LAST).write_bytes((run / LAST).read_bytes() + b"more"),
    "one byte short": lambda run: cut(run / LAST, (run / LAST).stat().st_size - 1),
    "another step's content": lambda run: (run / LAST).write_bytes((run / "step_00000100.pt").read_bytes()),
    "a step renamed over it": lambda run: (run / "step_00000100.pt").replace(run / LAST),
    "a link to elsewhere": lambda run: link_elsewhere(run),
    "a directory in its place": lambda run: directory_instead(run),
    "a pipe in its place": lambda run: pipe_instead(run),
}


def link_elsewhere(run: Path) -> None:
    shutil.move(run / LAST, run.parent / "elsewhere.pt")
    (run / LAST).symlink_to(run.parent / "elsewhere.pt")


def directory_instead(run: Path) -> None:
    (run / LAST).unlink()
    (run / LAST).mkdir()


def pipe_instead(run: Path) -> None:
    (run / LAST).unlink()
    os.mkfifo(run / LAST)


@pytest.mark.parametrize("damage", DAMAGE)
def test_resume_takes_the_step_before_the_damage(run: Path, damage: str) -> None:
    DAMAGE[damage](run)
    assert resume_point(run, deep=True).step == 200
    assert state_of(run, LAST) in ("truncated", "altered", "unreadable")


def test_without_its_manifest_a_file_is_judged_by_its_format(run: Path) -> None:
    manifest_of(run, LAST).unlink()
    assert resume_point(run).step == 300
    flip(run / LAST, 30_000)
    assert state_of(run, LAST, deep=True) == "altered"  # by its CRC
    cut(run / LAST, 50_000)
    assert resume_point(run).step == 200


def test_content_that_proves_nothing_is_not_trusted_without_its_manifest(tmp_path: Path) -> None:
    publish_bytes(tmp_path, b"\x80\x02 some pickle of old" * 99, 1, name="step_1.pt")
    assert resume_point(tmp_path).step == 1
    manifest_of(tmp_path, "step_1.pt").unlink()
    assert state_of(tmp_path, "step_1.pt") == "unlisted"


def test_a_torn_manifest_never_makes_a_broken_file_pass(run: Path) -> None:
    manifest = manifest_of(run, LAST)
    whole = manifest.read_bytes()
    flip(run / LAST, 30_000)
    for keep in range(0, len(whole) - 1, 13):
        manifest.write_bytes(whole[:keep])
        assert resume_point(run).step == 200, keep  # the torn record is no use, so the CRCs are checked at once
    manifest.write_bytes(b"\xff\xfe" * 100)
    assert resume_point(run).step == 200


def test_a_manifest_edited_to_fit_the_damage(run: Path) -> None:
    cut(run / LAST, 50_000)
    manifest = manifest_of(run, LAST)
    body = json.loads(manifest.read_bytes())
    body["size"] = 50_000
    manifest.write_text(json.dumps(body))
    assert state_of(run, LAST, deep=False) == "truncated"
    assert resume_point(run).step == 200


def test_a_forged_manifest_with_a_right_checksum_does_not_hide_a_cut(run: Path) -> None:
    from dataclasses import replace

    from diagnostics.checkpoints.digest import file_digest
    from diagnostics.checkpoints.manifest import decode, write_record

    cut(run / LAST, 50_000)
    manifest = manifest_of(run, LAST)
    record = decode(manifest.read_bytes())
    manifest.unlink()
    write_record(run, replace(record, size=50_000, digest=file_digest(run / LAST)))
    assert state_of(run, LAST, deep=False) == "truncated"
    assert resume_point(run, deep=True).step == 200


def test_the_manifest_of_another_file(run: Path) -> None:
    mine = manifest_of(run, LAST)
    other = manifest_of(run, "step_00000100.pt").read_bytes()
    mine.write_bytes(other)
    artefact = next(each for each in verify(run) if each.path.name == LAST)
    assert "belongs to another file" in artefact.finding.because
    flip(run / LAST, 30_000)
    assert resume_point(run).step == 200


@pytest.mark.parametrize(
    "junk",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b'{"manifest": 1, "checksum": 3}',
        b"[" * 100_000,
        b'{"manifest": 99, "checksum": ""}',
    ],
)
def test_junk_in_the_place_of_a_manifest_raises_nothing(run: Path, junk: bytes) -> None:
    manifest_of(run, LAST).write_bytes(junk)
    assert state_of(run, LAST) == "complete"  # by its own CRCs
    assert resume_point(run).step == 300


def test_time_zero_is_unknown_and_not_old(run: Path) -> None:
    os.utime(run / LAST, (0, 0))
    assert next(each for each in verify(run) if each.path.name == LAST).mtime is None
    assert resume_point(run).step == 300


def test_a_reused_name_whose_new_save_never_came_through(tmp_path: Path) -> None:
    """Killed between the record of step 2 and its rename: the name still holds step 1, and is still good."""
    from dataclasses import replace

    from diagnostics.checkpoints.manifest import decode, write_record

    publish_bytes(tmp_path, torch_file(1), 1, name="latest.pt")
    record = decode(manifest_of(tmp_path, "latest.pt").read_bytes())
    write_record(tmp_path, replace(record, step=2, digest="f" * 32, created_ns=record.created_ns + 1, mtime_ns=1))
    for deep in (False, True):
        point = resume_point(tmp_path, deep=deep)
        assert (point.step, point.path.name) == (1, "latest.pt")


@pytest.mark.parametrize("damage", ["missing", "cut", "flipped"])
def test_a_damaged_shard(tmp_path: Path, damage: str) -> None:
    for step in (1, 2):
        with publish_directory(tmp_path, step=step) as folder:
            for shard in range(3):
                (folder / f"{shard}.bin").write_bytes(bytes([shard]) * 1000)
    victim = tmp_path / "step_00000002" / "1.bin"
    {"missing": victim.unlink, "cut": lambda: cut(victim, 10), "flipped": lambda: flip(victim, 5)}[damage]()
    assert resume_point(tmp_path, deep=True).step == 1


def test_safetensors_headers_that_lie(tmp_path: Path) -> None:
    good = safetensors_file(1)
    lies = {
        "length beyond the file": (2**40).to_bytes(8, "little") + good[8:],
        "overlap": good.replace(b'"data_offsets":[0,8000]', b'"data_offsets":[4,8000]'),
        "shape": good.replace(b'"shape":[2000]', b'"shape":[9999]'),
        "negative": good.replace(b'"data_offsets":[0,8000]', b'"data_offsets":[-1,799]'),
        "no json": good[:8] + b"x" * (len(good) - 8),
    }
    for what, content in lies.items():
        (tmp_path / "model-1.safetensors").write_bytes(content)
        assert state_of(tmp_path, "model-1.safetensors") in ("unreadable", "truncated", "altered"), what


def test_md5sum_files_beside_a_checkpoint_are_used(tmp_path: Path) -> None:
    import hashlib

    content = b"\x80\x02 legacy pickle" * 100
    (tmp_path / "step_5.pt").write_bytes(content)
    (tmp_path / "MD5SUMS").write_text(f"{hashlib.md5(content).hexdigest()}  step_5.pt\n")
    assert state_of(tmp_path, "step_5.pt") == "complete"
    flip(tmp_path / "step_5.pt", 50)
    assert state_of(tmp_path, "step_5.pt") == "altered"
