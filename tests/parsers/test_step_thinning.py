"""Of very many steps only some rows are kept: what is said of them stays the same, in memory that does not grow."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator

import pytest

from diagnostics.evidence import Evidence
from diagnostics.evidence.training import TrainingSteps
from diagnostics.incident import Incident
from diagnostics.parsers import _step_runs, _step_scan, _step_thinning, training_log
from diagnostics.symptoms import throughput_collapsed
from diagnostics.text import Text

from .test_training_log import WRITERS


def facts(lines: Iterator[str]) -> list[Evidence]:
    text = Text("train.log", "".join(line + "\n" for line in lines).encode())
    return list(_step_scan.scan(text, training_log.STEP, training_log.START))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a few hundred steps were very many."""
    monkeypatch.setattr(_step_scan, "BLOCK", 3000)


def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_step_runs, "MOST", 40)
    monkeypatch.setattr(_step_runs, "HELD", 2)
    monkeypatch.setattr(_step_thinning, "ENDS", 5)


@pytest.mark.parametrize("writer", WRITERS)
def test_all_but_the_rows_between_stays_the_same(writer, small: None, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    whole = facts(writer(random.Random(7)))
    few(monkeypatch)
    thin = facts(writer(random.Random(7)))
    assert sum(fact.merged for fact in thin if isinstance(fact, TrainingSteps)) > 0
    assert len(thin) == len(whole)
    for left, right in zip(thin, whole, strict=True):
        assert (left.source, left.subject, left.stamp) == (right.source, right.subject, right.stamp)
        if not isinstance(left, TrainingSteps) or not isinstance(right, TrainingSteps):
            assert left == right
            continue
        assert left.fields() | {"merged": 0} == right.fields()
        assert left.quotes == right.quotes
        rows = dict(zip(right.columns["line"], range(right.steps), strict=True))
        for name in right.columns:
            kept = [right.columns[name][rows[line]] for line in left.columns["line"]]
            assert repr(kept) == repr(list(left.columns[name]))
        if left.merged:
            assert sum(left.columns["count"]) == left.steps == left.merged + len(left.columns["line"])
            assert list(left.columns["line"])[:5] == list(right.columns["line"])[:5]
            assert list(left.columns["line"])[-5:] == list(right.columns["line"])[-5:]


def clocked(lines: int, slow_from: int) -> Iterator[str]:
    seconds = 0.0
    for step in range(lines):
        seconds += 0.1 if step < slow_from else 1.0
        yield f"2026-11-29 {int(seconds) // 3600:02}:{int(seconds) // 60 % 60:02}:{seconds % 60:06.3f} step {step} | loss 2.0"


@pytest.mark.parametrize("slow_from", [900, 10**9])
def test_the_pace_is_that_of_the_steps(slow_from: int, small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Incident("whole", facts(clocked(1000, slow_from)), ())
    few(monkeypatch)
    thin = Incident("thin", facts(clocked(1000, slow_from)), ())
    assert sum(fact.merged for fact in thin.of(TrainingSteps)) > 800
    for incident in (whole, thin):
        assert [run.pace_s for run in incident.runs] == pytest.approx([0.1], rel=1e-3)
        assert [found.present for found in throughput_collapsed.rule(incident)] == [slow_from < 1000]


def peak(lines: int) -> int:
    text = Text("train.log", "".join(f"step {step} | loss 2.0 | lr 1.0e-4\n" for step in range(lines)).encode())
    tracemalloc.start()
    (fact,) = _step_scan.scan(text, training_log.STEP, training_log.START)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(fact, TrainingSteps)
    assert fact.steps == lines
    assert len(fact.columns["step"]) < _step_runs.MOST + 3 * _step_thinning.ENDS
    return most


def test_memory_does_not_grow_with_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_step_scan, "BLOCK", 1 << 16)
    monkeypatch.setattr(_step_runs, "MOST", 2_000)
    peak(1_000)  # numpy's own
    assert peak(160_000) < 1.3 * peak(40_000)
