"""A run that slows down is said to be slower or to have collapsed, never both, and never even."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from diagnostics.evidence import Source, Subject
from diagnostics.evidence.training import TrainingSteps
from diagnostics.incident import Incident
from diagnostics.symptoms import pace_fell, throughput_collapsed


def seen(paces: Sequence[float]) -> tuple[list[bool], list[bool]]:
    """Whether the pace fell, and whether it collapsed, for a run of so many samples a second."""
    run = TrainingSteps(
        source=Source("train.log", 1, "step 0"),
        subject=Subject(rank=0),
        columns={
            "step": tuple(map(float, range(len(paces)))),
            "line": tuple(float(n + 1) for n in range(len(paces))),
            "samples_per_s": tuple(paces),
        },
        quotes={},
    )
    opened = Incident("run", [run], [], {})
    return [f.present for f in pace_fell.rule(opened)], [f.present for f in throughput_collapsed.rule(opened)]


@pytest.mark.parametrize(
    ("paces", "fell", "collapsed"),
    [
        ([100.0] * 30, [], [False]),
        ([100.0] * 20 + [45.0] * 10, [True], [False]),
        ([100.0] * 20 + [35.0] * 10, [], [True]),
        ([100.0] * 12 + [35.0] * 18, [True], [False]),  # low for most of the run: low is then its usual pace
        ([110.0, 90.0] * 4 + [44.0, 18.0] * 16, [True], [False]),  # it varies more than it fell
        ([110.0, 90.0] * 4 + [46.0, 18.0] * 16, [], [False]),  # its fastest steps are as fast as before, by half
        ([100.0] * 12, [], [False]),
        ([100.0] * 11, [], []),
    ],
    ids="even under-a-half under-two-fifths under-two-fifths-for-long early not-apart twelve-steps eleven-steps".split(),
)
def test_the_two_rules_agree(paces: list[float], fell: list[bool], collapsed: list[bool]) -> None:
    assert seen(paces) == (fell, collapsed)
