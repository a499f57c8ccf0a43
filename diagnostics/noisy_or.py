"""A noisy-OR network solved exactly, on plain arrays.

Causes are independent a priori. Each cause that is at work shows a symptom with its strength; a symptom also
shows by itself with its leak:

    P(symptom | set of causes) = 1 - (1 - leak) * product over the set of (1 - strength)

All sets of up to three causes are enumerated. A cause that can show none of the symptoms that are present
can explain nothing; it enters single sets only, since in larger ones it would only lower their probability.
Source: Pearl, Probabilistic Reasoning in Intelligent Systems (1988), chapter 4; Shwe et al., QMR-DT (1991).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MAX_SET = 3


@dataclass(frozen=True)
class Posterior:
    """The sets of causes with their probabilities, most probable first.

    `sets` holds tuples of cause indices (the empty tuple is "none of them"), `probability` one number a set,
    and `marginal` one number a cause: how probable it is that the cause is at work, alone or with others.
    """

    sets: list[tuple[int, ...]]
    probability: Floats
    marginal: Floats


def solve(
    prior: Floats,
    strength: Floats,
    leak: Floats,
    present: NDArray[np.bool_],
    max_set: int = MAX_SET,
    nothing: float | None = None,
    hint: Floats | None = None,
    lifts_to: float = 1.0,
) -> Posterior:
    """The posterior over sets of causes.

    Parameters
    ----------
    prior : (causes,) probability of each cause
    strength : (causes, symptoms) probability that the cause shows the symptom
    leak : (symptoms,) probability that the symptom shows without any of the causes
    present : (symptoms,) True where the symptom was seen, False where it was looked for and not there;
        symptoms that nobody looked for must be left out
    nothing : probability that none of the causes is at work; None = as the independent priors have it
    hint : (causes,) natural logarithm of how much likelier something beside the symptoms is under the cause than
        under none of them (virtual evidence: Pearl, chapter 2); a set of causes is given that of its likeliest
    lifts_to : the posterior above which the hint lifts no cause; of the posteriors without and with it as much of the
        second is taken as keeps to that
    """
    import numpy as np

    n = len(prior)
    sets = candidate_sets(strength, present, max_set)
    member = np.zeros((len(sets), n))
    for row, causes in enumerate(sets):
        member[row, list(causes)] = 1.0
    log_odds = np.log(prior) - np.log1p(-prior)
    silent = member @ np.log1p(-np.minimum(strength, 1 - 1e-9)) + np.log1p(-leak)
    log_likelihood = np.where(present, np.log(-np.expm1(np.minimum(silent, -1e-12))), silent).sum(axis=1)
    log_prior = member @ log_odds
    if nothing is not None:
        log_prior[0] = np.log(nothing) - np.log1p(-nothing) + np.log(np.exp(log_prior[1:]).sum())
    score = log_prior + log_likelihood
    probability = _normalised(score)
    if hint is not None:
        score[1:] += np.where(member[1:] > 0, hint, -np.inf).max(axis=1)
        probability = _lifted(probability, _normalised(score), member, lifts_to)
    order = np.argsort(-probability, kind="stable")
    return Posterior([sets[i] for i in order], probability[order], probability @ member)


def _normalised(score: Floats) -> Floats:
    import numpy as np

    probability: Floats = np.exp(score - score.max())
    probability /= probability.sum()
    return probability


def _lifted(without: Floats, hinted: Floats, member: Floats, limit: float) -> Floats:
    """A mixture of two distributions over sets with as much of the second as lifts no cause above the limit."""
    import numpy as np

    before, after = without @ member, hinted @ member
    allowed = np.maximum(before, limit)
    above = after > allowed
    share = float(((allowed - before)[above] / (after - before)[above]).min(initial=1.0))
    mixed: Floats = share * hinted + (1 - share) * without
    return mixed


def candidate_sets(strength: Floats, present: NDArray[np.bool_], max_set: int) -> list[tuple[int, ...]]:
    """The empty set, every single cause, and all larger sets of causes that explain something seen."""
    useful = [i for i, row in enumerate(strength[:, present]) if (row > 0).any()]
    singles = [(i,) for i in range(len(strength))]
    return [(), *singles, *(s for size in range(2, max_set + 1) for s in combinations(useful, size))]


def weight_of_evidence(strength: Floats, leak: Floats, present: NDArray[np.bool_]) -> Floats:
    """Bits that each symptom speaks for (positive) or against each cause, taken alone; shape as `strength`.

    log2 of P(what was seen | the cause) over P(what was seen | no cause). Source: Good, Probability and the
    Weighing of Evidence (1950).
    """
    import numpy as np

    seen = 1 - (1 - leak) * (1 - strength)
    return np.where(present, np.log2(seen / leak), np.log2(np.maximum(1 - strength, 1e-9)))


def entropy(probability: Floats) -> float:
    """The entropy of a distribution, in bits."""
    import numpy as np

    positive = probability[probability > 0]
    return float(-(positive * np.log2(positive)).sum())
