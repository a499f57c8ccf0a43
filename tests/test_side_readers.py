"""Many artefacts are read by several processes: the same facts, in the same order, whatever becomes of the processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from diagnostics import side_readers
from diagnostics.archives import Artefact
from diagnostics.reading import read_artefact
from diagnostics.side_readers import SideReader, read_all


def artefacts() -> list[Artefact]:
    nfs = "[ {n}.000000] nfs: server nas{n} not responding, still trying\n"
    return [Artefact(f"{n}.log", nfs.format(n=n).encode() * (n % 3)) for n in range(30)]


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_readers, "FEW", 3)
    monkeypatch.setattr(side_readers, "BATCH", 4)
    monkeypatch.setattr(side_readers, "LARGE", 100)


def test_several_processes_give_what_one_gives() -> None:
    expected = [(artefact.name, read_artefact(artefact)) for artefact in artefacts()]
    assert any(reading.facts for _, reading in expected)
    assert list(read_all(artefacts(), processes=2)) == expected
    assert list(read_all(artefacts(), processes=1)) == expected


def test_a_process_that_is_killed_costs_no_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[SideReader] = []

    class Killed(SideReader):
        def __init__(self) -> None:
            super().__init__()
            started.append(self)
            os.kill(self._process.pid, signal.SIGKILL)

    monkeypatch.setattr(side_readers, "SideReader", Killed)
    assert [name for name, _ in read_all(artefacts(), processes=2)] == [each.name for each in artefacts()]
    assert all(reader._process.returncode == -signal.SIGKILL for reader in started)


def test_whoever_stops_listening_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[SideReader] = []
    whole = SideReader.__init__

    def noted(self: SideReader) -> None:
        whole(self)
        started.append(self)

    monkeypatch.setattr(SideReader, "__init__", noted)
    reading: Iterator[object] = read_all(artefacts(), processes=2)
    for _ in range(5):
        next(reading)
    reading.close()  # type: ignore[attr-defined]
    assert started
    assert all(not Path(f"/proc/{reader._process.pid}").exists() for reader in started)
