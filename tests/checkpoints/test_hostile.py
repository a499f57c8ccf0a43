"""Hostile checkpoints execute nothing, escape nowhere, take no memory, and are reported."""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from pathlib import Path

import pytest

from diagnostics.checkpoints import resume_point, verify
from diagnostics.cli import main
from diagnostics.errors import NothingToResume


class Bomb:
    """A pickle of this leaves a file behind when anybody loads it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return os.system, (f"touch {self.path}",)


def test_no_pickle_is_ever_loaded(tmp_path: Path) -> None:
    fuse = tmp_path / "executed"
    run = tmp_path / "run"
    (run / "dcp_step_3").mkdir(parents=True)
    bomb = pickle.dumps(Bomb(fuse))
    (run / "dcp_step_3" / ".metadata").write_bytes(bomb)
    (run / "step_1.pt").write_bytes(bomb)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("archive/data.pkl", bomb)
    (run / "step_2.pt").write_bytes(buffer.getvalue())
    verify(run, deep=True)
    resume_point(run, deep=True)
    assert not fuse.exists()


def test_a_zip_bomb_is_not_expanded(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "step_1.pt", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", bytes(200 << 20))
    (artefact,) = verify(tmp_path, deep=True)
    assert artefact.state == "unreadable" and "not expanded" in artefact.finding.because


def test_shards_with_names_that_lead_out(tmp_path: Path) -> None:
    folder = tmp_path / "run" / "checkpoint-5"
    folder.mkdir(parents=True)
    (tmp_path / "secret.safetensors").write_bytes(b"x")
    index = {"weight_map": {"a": "../../secret.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (artefact,) = verify(tmp_path / "run", deep=True)
    assert artefact.state == "unreadable" and "outside" in artefact.finding.because


def test_links_are_not_followed(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "step_9.pt").symlink_to("/dev/zero")
    (run / "step_8.pt").symlink_to(run / "step_8.pt")
    assert {str(each.state) for each in verify(run, deep=True)} == {"unreadable"}
    with pytest.raises(NothingToResume):
        resume_point(run)


def test_a_name_with_terminal_codes_is_printed_harmlessly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "step_1\x1b[31m\n.pt").write_bytes(b"half")
    assert main(["checkpoint", "verify", str(tmp_path)]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_markup_in_a_name_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "<script>1.pt").write_bytes(b"half")
    assert "<script>" not in verify(tmp_path)._repr_html_()


def test_a_name_that_is_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/step_1\xff.pt")).write_bytes(b"half")
    assert main(["checkpoint", "verify", str(tmp_path)]) == 0
    assert main(["checkpoint", "verify", str(tmp_path), "--json"]) == 0
    assert main(["checkpoint", "resume", str(tmp_path)]) == 1
