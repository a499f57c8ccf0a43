"""The newest whole step on any side, why newer ones were refused, and never step 0 in silence."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from diagnostics.checkpoints import publish_bytes, resume_point
from diagnostics.errors import NothingToResume

from .conftest import torch_file


def test_every_refusal_is_explained(run: Path) -> None:
    os.truncate(run / "step_00000300.pt", 1000)
    os.truncate(run / "step_00000200.pt", 1000)
    point = resume_point(run)
    assert point.step == 100
    assert [(each.step, each.state) for each in point.rejected] == [(300, "truncated"), (200, "truncated")]
    assert "bytes are missing" in str(point)


def test_the_mirror_saves_the_step_that_the_primary_lost(run: Path, tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    publish_bytes(mirror, torch_file(300), 300)
    assert resume_point(run, mirror).side == run
    os.truncate(run / "step_00000300.pt", 1000)
    point = resume_point(run, mirror)
    assert (point.step, point.side) == (300, mirror)


def test_a_side_that_cannot_be_listed_is_named_and_the_other_used(run: Path, tmp_path: Path) -> None:
    point = resume_point(tmp_path / "gone", run)
    assert point.step == 300
    assert "cannot be listed" in point.rejected[0].because


def test_steps_are_numbers_and_not_text(tmp_path: Path) -> None:
    for step in (9, 10, 1000, 999):
        publish_bytes(tmp_path, torch_file(step), step, name=f"step_{step}.pt")
    assert resume_point(tmp_path).step == 1000


def test_the_manifest_knows_the_step_of_a_name_without_a_number(tmp_path: Path) -> None:
    publish_bytes(tmp_path, torch_file(1), 810, name="best.pt")
    assert resume_point(tmp_path).step == 810


@pytest.mark.parametrize("names", [[], ["step_1.pt.part"], ["notes.txt"], ["step_1.pt"]])
def test_nothing_is_loud(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).write_bytes(b"half")
    with pytest.raises(NothingToResume, match="no whole checkpoint"):
        resume_point(tmp_path)


def test_a_thousand_artefacts_in_fifty_milliseconds(tmp_path: Path) -> None:
    from diagnostics.checkpoints.manifest import Record, write_record
    from diagnostics.checkpoints.naming import artefact_name

    content = torch_file(1, 200)
    for step in range(1000):
        (tmp_path / artefact_name(step)).write_bytes(content)
    publish_bytes(tmp_path, content, 1000)
    record = Record(artefact_name(999), 999, "file", len(content), "xxh3_128", "0" * 32)
    write_record(tmp_path, record)
    resume_point(tmp_path)
    best = min(_timed(tmp_path) for _ in range(5))
    assert best < 0.050, f"{best * 1e3:.1f} ms"


def _timed(directory: Path) -> float:
    """Seconds of this process's own work: another one's load is not what is measured."""
    start = time.process_time()
    assert resume_point(directory).step == 1000
    return time.process_time() - start
