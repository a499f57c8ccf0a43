"""Every crash point of publish, mirror and prune: killed there, or the call fails there.

After each, resume gives the last whole step, nothing that was complete is lost, nothing broken carries a
finished name, an error is never swallowed while the new one is not whole, and the next run makes it good.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from diagnostics.checkpoints import (
    Retention,
    mirror,
    plan_prune,
    publish_bytes,
    publish_directory,
    resume_point,
    verify,
)
from diagnostics.checkpoints.finding import State
from diagnostics.errors import CheckpointError

from .conftest import hidden, names, torch_file
from .crash import Action, Ending, every_point, names_errno

SMALL = 3_000
OLD = time.time() - 7200


def state(step: int) -> bytes:
    return torch_file(step, SMALL)


def primary(folder: Path) -> Path:
    return folder / "run"


def two_steps(folder: Path) -> None:
    for step in (1, 2):
        publish_bytes(primary(folder), state(step), step)


def one_name(folder: Path) -> None:
    publish_bytes(primary(folder), state(1), 1, name="latest.pt")


def same_bytes(folder: Path) -> None:
    """Bytes that only their record proves: losing it would lose the checkpoint."""
    publish_bytes(primary(folder), b"\x80\x02 no format of its own" * 50, 1, name="latest.pt")


def a_directory(folder: Path, step: int) -> None:
    with publish_directory(primary(folder), step) as staged:
        for shard in range(2):
            (staged / f"{shard}.bin").write_bytes(bytes([step]) * 100)


def for_a_mirror(folder: Path) -> None:
    two_steps(folder)
    mirror(primary(folder), folder / "mirror", newest=1)
    publish_bytes(primary(folder), state(3), 3)


def directories_for_a_mirror(folder: Path) -> None:
    a_directory(folder, 1)
    mirror(primary(folder), folder / "mirror")
    a_directory(folder, 2)


def old_steps(folder: Path) -> None:
    for step in (1, 2, 3):
        publish_bytes(primary(folder), state(step), step)
    make_old(folder)


def old_directories(folder: Path) -> None:
    for step in (1, 2):
        a_directory(folder, step)
    make_old(folder)


def make_old(folder: Path) -> None:
    for path in folder.rglob("*"):
        os.utime(path, (OLD, OLD))


def prune(folder: Path) -> None:
    outcome = plan_prune(primary(folder), retention=Retention(keep=1)).execute()
    if outcome.failed:
        raise CheckpointError(outcome.spared[0][1])


def do_mirror(folder: Path) -> None:
    report = mirror(primary(folder), folder / "mirror")
    if report.failed:
        raise CheckpointError(report.failed[0].because)


@dataclass(frozen=True)
class Case:
    """`before` were whole before the action, on `side`; `after` must be whole when it succeeded."""

    prepare: Action
    action: Action
    before: set[int]
    after: set[int]
    side: Callable[[Path], Path] = primary
    given_up: set[int] = field(default_factory=set)
    calls: set[str] = field(default_factory=lambda: {"openat", "write", "fsync", "close", "rename"})


def mirror_side(folder: Path) -> Path:
    return folder / "mirror"


CASES = {
    "publish": Case(two_steps, lambda folder: publish_bytes(primary(folder), state(3), 3), {1, 2}, {1, 2, 3}),
    "publish over the same name": Case(
        one_name, lambda folder: publish_bytes(primary(folder), state(2), 2, name="latest.pt"), {1}, {2}, given_up={1}
    ),
    "publish the same bytes again": Case(same_bytes, same_bytes, {1}, {1}),
    "publish a directory": Case(lambda f: a_directory(f, 1), lambda f: a_directory(f, 2), {1}, {1, 2}),
    "mirror": Case(for_a_mirror, do_mirror, {2}, {1, 2, 3}, mirror_side),
    "mirror a directory": Case(directories_for_a_mirror, do_mirror, {1}, {1, 2}, mirror_side),
    "prune": Case(old_steps, prune, {1, 2, 3}, {3}, given_up={1, 2}, calls={"openat", "unlink"}),
    "prune directories": Case(old_directories, prune, {1, 2}, {2}, given_up={1}, calls={"openat", "rename"}),
}


def whole_steps(directory: Path) -> set[int]:
    return {each.step or 0 for each in verify(directory, deep=True) if each.state is State.COMPLETE}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", CASES)
def test_every_crash_point(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    called, tried = set(), 0
    for what, folder, ending in every_point(case.action, case.prepare, tmp_path):
        look(case, what, folder, ending)
        again(case, what, folder)
        called.add(what.split()[2])
        tried += 1
    assert called >= case.calls, f"the harness saw only {sorted(called)}"
    print(f"{name}: {tried} runs")


def look(case: Case, what: str, folder: Path, ending: Ending) -> None:
    side = case.side(folder)
    whole = whole_steps(side)
    assert not verify(side, deep=True).broken, what
    assert not verify(primary(folder), deep=True).broken, what
    assert whole >= case.before - case.given_up, f"{what}: lost {case.before - whole}"
    assert whole <= case.before | case.after, what
    assert resume_point(side, deep=True).step == max(whole), what
    if case.given_up and case.before <= case.given_up:
        assert whole, f"{what}: neither the old nor the new one is whole"
    if ending.succeeded:
        assert whole >= case.after, f"{what}: success was reported, and only {whole} are whole"
    elif not ending.killed:
        assert names_errno(ending.said), f"{what}: {ending.said}"
        assert "Traceback" not in ending.said, f"{what}: {ending.said}"


def again(case: Case, what: str, folder: Path) -> None:
    """The next run, in this process, makes it good and leaves no litter of the dead one."""
    if case.side is primary and max(case.after) in whole_steps(primary(folder)) and not case.given_up:
        return  # a name that stands is not published a second time
    case.action(folder)
    assert whole_steps(case.side(folder)) >= case.after, what
    assert not [name for name in hidden(case.side(folder), ".part") if "mirror" not in name], what


def test_the_harness_notices_a_writer_that_is_not_safe(tmp_path: Path) -> None:
    """The harness itself must be able to fail: a plain write onto the final name leaves broken ones."""
    broken = set()

    def careless(folder: Path) -> None:
        (primary(folder) / "step_3.pt").write_bytes(state(3))

    for what, folder, _ in every_point(careless, two_steps, tmp_path):
        if verify(primary(folder), deep=True).broken:
            broken.add(what.split()[2])
    assert "write" in broken


def test_the_folder_is_the_same_before_every_run(tmp_path: Path) -> None:
    two_steps(tmp_path / "a")
    first = names(primary(tmp_path / "a"))
    shutil.rmtree(tmp_path / "a")
    two_steps(tmp_path / "a")
    assert names(primary(tmp_path / "a")) == first
