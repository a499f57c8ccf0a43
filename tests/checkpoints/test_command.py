"""`python -m diagnostics checkpoint`: does its work with 0, says one line and 1 when it cannot, never a traceback."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from diagnostics.cli import main
from diagnostics.commands._sizes import size

from .conftest import torch_file, visible


def test_publish_verify_resume(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model.pt").write_bytes(torch_file(1))
    run = tmp_path / "run"
    assert main(["checkpoint", "publish", str(tmp_path / "model.pt"), str(run), "--step", "810"]) == 0
    assert visible(run) == ["model.pt"]
    assert main(["checkpoint", "verify", str(run), "--deep", "--json"]) == 0
    capsys.readouterr()
    assert main(["checkpoint", "resume", str(run), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["step"] == 810


def test_publish_a_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "global_step7" / "sub").mkdir(parents=True)
    (tmp_path / "global_step7" / "sub" / "a.bin").write_bytes(b"a" * 100)
    assert main(["checkpoint", "publish", str(tmp_path / "global_step7"), str(tmp_path / "run"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["step"] == 7
    assert main(["checkpoint", "verify", str(tmp_path / "run"), "--strict"]) == 0


def test_strict_is_for_ci(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.truncate(run / "step_00000300.pt", 100)
    assert main(["checkpoint", "verify", str(run)]) == 0
    assert "bytes are missing" in capsys.readouterr().out
    assert main(["checkpoint", "verify", str(run), "--strict"]) == 1
    assert capsys.readouterr().err.startswith("error: 1 artefacts are broken")


@pytest.mark.parametrize(
    "words",
    [
        ["verify", "/nowhere"],
        ["resume", "/nowhere"],
        ["resume", "s3://bucket/run"],
        ["mirror", "/nowhere", "/tmp/x"],
        ["mirror", ".", "nosuch://x"],
        ["prune", "/nowhere"],
        ["prune", ".", "--keep", "0"],
        ["publish", "/nowhere", "/tmp/x"],
        ["publish", "/dev/null", "/tmp/x"],
        ["publish", __file__, "/proc/x"],
        ["publish", __file__, "/tmp/x", "--name", "../x"],
    ],
)
def test_what_cannot_be_done_is_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["checkpoint", *words]) in (1, 2)
    printed = capsys.readouterr().err
    assert printed.startswith("error: ") and printed.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "count"), [("35G", 35 << 30), ("500MiB", 500 << 20), ("1.5k", 1536), ("2MB", 2_000_000), ("7", 7)]
)
def test_sizes(text: str, count: int) -> None:
    assert size(text) == count
