"""The power goes between any two steps: what resume finds is whole, and what was reported as saved is there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from diagnostics import durable
from diagnostics.checkpoints import mirror, publish_bytes, publish_directory, resume_point, verify
from tests.faults.powerloss import PowerLoss, powerloss

from .conftest import torch_file

__all__ = ["powerloss"]

pytestmark = [pytest.mark.fuse, pytest.mark.root]


class PowerCut(BaseException):
    """The machine is gone: no handler of the program runs as far as the disk can tell."""


@contextmanager
def power_cut_at(step: int, monkeypatch: pytest.MonkeyPatch, snapshot: Callable[[], None]) -> Iterator[list[str]]:
    """Take a picture of the disk just before the `step`-th sync, rename or directory sync, then stop the program."""
    seen: list[str] = []

    def counted(name: str, real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            seen.append(name)
            if len(seen) == step:
                snapshot()
                raise PowerCut
            return real(*arguments, **options)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", counted("fsync", os.fsync))
        patch.setattr(Path, "replace", counted("rename", Path.replace))
        yield seen


def test_what_was_reported_as_saved_survives(powerloss: PowerLoss) -> None:
    run = powerloss.mount / "run"
    for step in (1, 2):
        publish_bytes(run, torch_file(step), step)
    with publish_directory(run, 3) as folder:
        (folder / "sub").mkdir()
        (folder / "sub" / "a.bin").write_bytes(b"a" * 1000)
    mirror(run, powerloss.mount / "second")
    powerloss.cut()
    for side in ("run", "second"):
        assert verify(powerloss.disk / side, deep=True).counts == {"complete": 3}
    assert resume_point(powerloss.disk / "run", deep=True).step == 3


@pytest.mark.parametrize("same_name", [False, True])
def test_at_every_step_resume_finds_the_last_whole_one(
    powerloss: PowerLoss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, same_name: bool
) -> None:
    run = powerloss.mount / "run"
    name = "latest.pt" if same_name else None
    publish_bytes(run, torch_file(1), 1, name=name)
    found = []
    for number in range(1, 40):
        picture = tmp_path / str(number)

        def snapshot(picture: Path = picture) -> None:
            shutil.copytree(powerloss.disk / "run", picture)

        try:
            with power_cut_at(number, monkeypatch, snapshot):
                publish_bytes(run, torch_file(2), 2, name=name)
        except PowerCut:
            assert not verify(picture, deep=True).broken
            found.append(resume_point(picture, deep=True).step)
            continue
        break
    assert len(found) >= 6, "fewer syncs and renames than the discipline has"
    assert set(found) <= {1, 2} and found[0] == 1
    powerloss.cut()
    assert resume_point(powerloss.disk / "run", deep=True).step == 2


@pytest.mark.parametrize(
    ("missing", "survives"), [("", True), ("the file's sync", False), ("the directory's sync", False)]
)
def test_the_layer_itself_loses_what_was_not_synced(powerloss: PowerLoss, missing: str, survives: bool) -> None:
    path, part = powerloss.mount / "step_1.pt", powerloss.mount / "step_1.pt.part"
    with part.open("wb") as file:
        file.write(torch_file(1))
        file.flush()
        if missing != "the file's sync":
            os.fsync(file.fileno())
    part.replace(path)
    if missing != "the directory's sync":
        durable.sync_directory(path.parent)
    powerloss.cut()
    disk = powerloss.disk / "step_1.pt"
    assert (disk.exists() and disk.read_bytes() == torch_file(1)) is survives
