"""The shipped model is what the script learns, and what it learns holds for incidents that it has not seen."""

from __future__ import annotations

import random
from types import ModuleType

import numpy as np
import pytest

from benchmarks.precedents import learning
from diagnostics.precedents.library import Precedent, precedents
from diagnostics.precedents.model import Model


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return learning()


@pytest.fixture(scope="module")
def library() -> list[Precedent]:
    return list(precedents())


@pytest.mark.slow
def test_the_script_learns_the_shipped_model_again(script: ModuleType, library: list[Precedent]) -> None:
    shipped = Model.load()
    learned = script.learn(library, shipped.temperature, script.digest())
    assert learned.labels == shipped.labels
    assert learned.digest == shipped.digest
    some = random.Random(0).sample(library, 100)
    apart = [np.abs(learned.scores(each.lines) - shipped.scores(each.lines)).max() for each in some]
    assert max(apart) < 0.05


@pytest.mark.slow
def test_what_was_not_seen_is_mostly_named_right(script: ModuleType, library: list[Precedent]) -> None:
    """A fifth of the library is kept back; by chance one in fifty would be right."""
    threads = sorted({each.thread for each in library if each.is_public})
    back = set(random.Random(1).sample(threads, len(threads) // 5))
    model = script.learn([each for each in library if each.thread not in back])
    unseen = [each for each in library if each.thread in back]
    right = [model.labels[int(model.scores(each.lines).argmax())] in each.labels for each in unseen]
    assert len(unseen) > 200
    assert np.mean(right) > 0.7


def test_precedents_of_one_thread_are_kept_back_together(script: ModuleType) -> None:
    made = [
        Precedent((label,), f"a/b#{thread}", {"log": f"{label} {word} fails with {label}\n"})
        for thread in range(10)
        for label, word in (("disk-full", "write"), ("gpu-off-bus", "device"))
    ]
    scores = script.held_out(made)
    assert scores.shape == (20, 2)
    assert script.calibrated(scores, made) >= 1.0
