"""The arithmetic against brute force, and what it must do by its nature."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnostics import noisy_or

MAX_CAUSES = 6


def by_hand(prior, strength, leak, present):
    """The posterior of every set of up to three causes, one multiplication at a time."""
    scores = {}
    for size in range(noisy_or.MAX_SET + 1):
        for causes in combinations(range(len(prior)), size):
            score = 1.0
            for i, p in enumerate(prior):
                score *= p if i in causes else 1 - p
            for j, leaks in enumerate(leak):
                silent = 1 - leaks
                for i in causes:
                    silent *= 1 - strength[i][j]
                score *= 1 - silent if present[j] else silent
            scores[causes] = score
    total = sum(scores.values())
    return {causes: score / total for causes, score in scores.items()}


@st.composite
def networks(draw):
    causes = draw(st.integers(1, MAX_CAUSES))
    symptoms = draw(st.integers(1, 5))
    number = st.floats(0.01, 0.95)
    prior = np.array(draw(st.lists(st.floats(0.005, 0.3), min_size=causes, max_size=causes)))
    flat = draw(st.lists(number, min_size=causes * symptoms, max_size=causes * symptoms))
    strength = np.array(flat).reshape(causes, symptoms)
    leak = np.array(draw(st.lists(st.floats(0.001, 0.3), min_size=symptoms, max_size=symptoms)))
    present = np.array(draw(st.lists(st.booleans(), min_size=symptoms, max_size=symptoms)))
    present[0] = True  # every cause explains something, so no set is left out
    return prior, strength, leak, present


@given(networks())
def test_the_posterior_is_the_one_by_hand(network) -> None:
    solved = noisy_or.solve(*network)
    expected = by_hand(*network)
    assert dict(zip(solved.sets, solved.probability, strict=True)) == pytest.approx(expected)
    for i, marginal in enumerate(solved.marginal):
        assert marginal == pytest.approx(sum(p for causes, p in expected.items() if i in causes))


def test_a_hint_moves_the_odds_of_a_cause_by_its_factor() -> None:
    prior, strength, leak = np.array([0.1, 0.1]), np.array([[0.5], [0.5]]), np.array([0.1])
    present = np.array([True])
    plain = noisy_or.solve(prior, strength, leak, present, max_set=1)
    hinted = noisy_or.solve(prior, strength, leak, present, max_set=1, hint=np.log([8.0, 1.0]))
    odds = [solved.marginal[0] / solved.marginal[1] for solved in (plain, hinted)]
    assert odds == pytest.approx([1.0, 8.0])


def test_a_set_of_causes_is_given_the_hint_of_its_likeliest() -> None:
    prior, strength, leak = np.array([0.1, 0.2]), np.array([[0.5], [0.3]]), np.array([0.1])
    solved = [noisy_or.solve(prior, strength, leak, np.array([True]), hint=hint) for hint in (None, np.log([8.0, 0.5]))]
    both, first = (
        [dict(zip(each.sets, each.probability, strict=True))[causes] for each in solved] for causes in ((0, 1), (0,))
    )
    assert both[1] / first[1] == pytest.approx(both[0] / first[0])


@given(networks())
def test_the_order_of_the_causes_does_not_matter(network) -> None:
    prior, strength, leak, present = network
    turned = noisy_or.solve(prior[::-1], strength[::-1], leak, present)
    assert turned.marginal[::-1] == pytest.approx(noisy_or.solve(prior, strength, leak, present).marginal)


def test_a_cause_that_explains_is_not_needed_once_another_one_does() -> None:
    prior, leak = np.array([0.05, 0.05]), np.array([0.01, 0.001])
    strength = np.array([[0.9, 0.0], [0.9, 0.9]])
    one = noisy_or.solve(prior, strength[:, :1], leak[:1], np.array([True]))
    both = noisy_or.solve(prior, strength, leak, np.array([True, True]))
    assert one.marginal[0] == pytest.approx(one.marginal[1])
    assert both.marginal[0] < one.marginal[0] / 4
    assert both.marginal[1] > 0.9


def test_one_shared_cause_beats_one_for_each_symptom() -> None:
    prior, leak = np.full(4, 0.02), np.full(3, 0.01)
    strength = np.array([[0.8, 0.8, 0.8], [0.9, 0, 0], [0, 0.9, 0], [0, 0, 0.9]])
    solved = noisy_or.solve(prior, strength, leak, np.array([True, True, True]))
    assert solved.sets[0] == (0,)
    assert solved.marginal[0] > 0.95


def test_a_shared_cause_loses_when_what_it_must_show_is_absent() -> None:
    prior, leak = np.full(3, 0.02), np.array([0.01, 0.01, 0.01])
    strength = np.array([[0.8, 0.8, 0.95], [0.9, 0, 0], [0, 0.9, 0]])
    solved = noisy_or.solve(prior, strength, leak, np.array([True, True, False]))
    shared_before = noisy_or.solve(prior, strength[:, :2], leak[:2], np.array([True, True])).marginal[0]
    assert solved.marginal[0] < shared_before


def test_two_faults_that_share_nothing_are_both_found() -> None:
    prior, leak = np.full(3, 0.02), np.full(2, 0.0005)
    strength = np.array([[0.9, 0], [0, 0.9], [0.02, 0.02]])
    solved = noisy_or.solve(prior, strength, leak, np.array([True, True]))
    assert solved.sets[0] == (0, 1)
    assert (solved.marginal[:2] > 0.9).all()


def test_without_any_symptom_the_priors_stay() -> None:
    prior = np.array([0.02, 0.3])
    solved = noisy_or.solve(prior, np.zeros((2, 0)), np.zeros(0), np.zeros(0, dtype=bool))
    assert solved.marginal[1] > solved.marginal[0]
    assert solved.marginal == pytest.approx(prior, rel=0.5)


def test_the_probability_of_nothing_may_be_given() -> None:
    prior, leak = np.array([0.02, 0.3]), np.array([0.5])
    solved = noisy_or.solve(prior, np.array([[0.0], [0.0]]), leak, np.array([True]), nothing=0.15)
    assert solved.probability[solved.sets.index(())] == pytest.approx(0.15)


def test_bits_are_the_logarithm_of_the_likelihood_ratio() -> None:
    strength, leak = np.array([[0.75, 0.5, 0.0]]), np.array([0.25, 0.5, 0.3])
    bits = noisy_or.weight_of_evidence(strength, leak, np.array([True, False, True]))
    assert bits[0] == pytest.approx([np.log2((1 - 0.75 * 0.25) / 0.25), -1.0, 0.0])


def test_certainty_does_not_break_the_logarithm() -> None:
    solved = noisy_or.solve(np.array([0.5]), np.array([[1.0]]), np.array([0.0]), np.array([False]))
    assert np.isfinite(solved.probability).all()
    assert solved.marginal[0] < 1e-6


def test_entropy_is_in_bits() -> None:
    assert noisy_or.entropy(np.array([0.5, 0.25, 0.25, 0.0])) == pytest.approx(1.5)
