"""Causes on subjects and the symptoms that were observed, as the arrays of one noisy-OR network.

A stall of /workspace is not a stall of /data: a cause becomes one instance for each subject on which it could be
at work, and a symptom speaks only for the instances whose subject agrees with its own.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import noisy_or
from .causes import Cause, Role, all_causes
from .evidence import NOBODY, Subject
from .observation import OWNED, Observation, State
from .precedents import NO_WORDS, Likeness
from .symptoms import all_symptoms

if TYPE_CHECKING:
    import numpy as np

# independent priors that add up to one leave 37 % for no cause at all; an incident that somebody investigates is not so
# often without one of the known causes
NOTHING_KNOWN = 0.15
# of the unseen precedents whose label was said to be at least 90 % probable 7 % bore another, and an incident may be of
# a kind that the library does not hold: words alone are never more than three to one
LIFTED_TO = 0.75
# bits: an absent symptom that speaks so much against a cause was looked for where the cause would have shown it
MISSED = -1.5
IN_VAIN = 2.0  # bits: what words may still say for such a cause, too little for a lead
TELLING = 0.003  # a symptom that shows so seldom by itself was shown by something
NEGLIGIBLE = 1e-7  # sets less probable than this change no sum
WHO = ("host", "rank", "pid", "gpu", "pci", "job")  # who saw it, as against what it happened to
SHAKES = 48
SHAKEN_INSTANCES = 14


@dataclass(frozen=True)
class Instance:
    """A cause on a subject."""

    cause: Cause
    subject: Subject


@dataclass(frozen=True)
class Network:
    """The arrays of one incident: instances x observed symptoms."""

    instances: tuple[Instance, ...]
    observed: tuple[Observation, ...]
    prior: np.ndarray[Any, Any]
    strength: np.ndarray[Any, Any]
    leak: np.ndarray[Any, Any]
    present: np.ndarray[Any, Any]
    initiating: np.ndarray[Any, Any]
    worded: np.ndarray[Any, Any]

    @cached_property
    def posterior(self) -> noisy_or.Posterior:
        """The posterior over sets of instances."""
        return self._solved(self.worded * math.log(2)) if self.worded.any() else self.by_symptoms

    def wordless(self) -> Network:
        """The same network as if nobody knew how anything is worded."""
        import numpy as np

        return replace(self, worded=np.zeros(len(self.instances)))

    @cached_property
    def by_symptoms(self) -> noisy_or.Posterior:
        """The posterior as if nobody knew how anything is worded."""
        return self._solved()

    def _solved(self, hint: np.ndarray[Any, Any] | None = None) -> noisy_or.Posterior:
        return noisy_or.solve(
            self.prior, self.strength, self.leak, self.present, nothing=NOTHING_KNOWN, hint=hint, lifts_to=LIFTED_TO
        )

    def best(self, count: int) -> np.ndarray[Any, Any]:
        """The rows of the instances that the evidence speaks most for, the best ones first, at most `count`."""
        import numpy as np

        bits = noisy_or.weight_of_evidence(self.strength, self.leak, self.present).sum(axis=1)
        return np.argsort(-(bits + self.worded + np.log2(self.prior)), kind="stable")[:count]

    @property
    def slugs(self) -> list[str]:
        """The cause of each instance."""
        return [instance.cause.slug for instance in self.instances]


def build(
    observations: Sequence[Observation], causes: Iterable[Cause] | None = None, words: Likeness = NO_WORDS
) -> Network:
    """The network of the causes (the table's, unless others are given) that the observations and words can bear on."""
    import numpy as np

    table = all_symptoms()
    observed = tuple(each for each in observations if each.state is not State.UNOBSERVED)
    instances = tuple(
        Instance(cause, subject)
        for cause in (all_causes().values() if causes is None else causes)
        for subject in _subjects(cause, observed)
    )
    strength = np.zeros((len(instances), len(observed)))
    initiating = np.zeros((len(instances), len(observed)), dtype=bool)
    for row, instance in enumerate(instances):
        for column, each in enumerate(observed):
            effect = instance.cause.effect(each.symptom)
            if effect and instance.subject.agrees_with(told_apart_by(instance.cause, each)):
                strength[row, column] = effect.strength
                initiating[row, column] = effect.role is Role.INITIATING
    present = np.array([each.state is State.PRESENT for each in observed], dtype=bool)
    # seen on one GPU of a host is seen on the host, whatever a look at another GPU did not find
    for column, each in enumerate(observed):
        if present[column]:
            continue
        same = [i for i, other in enumerate(observed) if present[i] and other.symptom == each.symptom]
        strength[strength[:, same].any(axis=1), column] = 0.0
    _count_once_where_unknown(strength, instances, observed)
    leak = np.array([table[each.symptom].leak for each in observed])
    worded = np.array([words.bits.get(instance.cause.slug, 0.0) for instance in instances])
    return Network(
        instances,
        observed,
        np.array([instance.cause.prior for instance in instances]),
        strength,
        leak,
        present,
        initiating,
        _unless_missed(worded, strength, leak, present),
    )


def _count_once_where_unknown(
    strength: np.ndarray[Any, Any], instances: Sequence[Instance], observed: Sequence[Observation]
) -> None:
    """Let what was not seen on several subjects speak once against a cause that is on one of them, nobody knows which.

    Five volumes with room are not five signs against a full one that no error names.
    """
    absent: dict[str, list[int]] = defaultdict(list)
    for column, each in enumerate(observed):
        if each.state is State.ABSENT:
            absent[each.symptom].append(column)
    several = [columns for columns in absent.values() if len(columns) > 1]
    for row, instance in enumerate(instances) if several else ():
        for columns in several:
            there = [c for c in columns if strength[row, c]]
            named = {told_apart_by(instance.cause, observed[c]) for c in there}
            if len(named) > 1 and all(set(each.known()) - set(instance.subject.known()) for each in named):
                strength[row, there[1:]] = 0.0


def _unless_missed(
    worded: np.ndarray[Any, Any],
    strength: np.ndarray[Any, Any],
    leak: np.ndarray[Any, Any],
    present: np.ndarray[Any, Any],
) -> np.ndarray[Any, Any]:
    """The bits of the words; for a cause that was looked for in vain at most IN_VAIN, beyond what symptoms say of the
    same lines.

    Words weigh each number alone: a complaint of too little shared memory is worded alike where df shows plenty.
    """
    import numpy as np

    bits = noisy_or.weight_of_evidence(strength, leak, present)
    said = np.where(present, np.maximum(bits, 0.0), 0.0).sum(axis=1)
    missed = np.where(present, 0.0, bits).sum(axis=1) <= MISSED
    beyond = np.minimum(worded, np.clip(worded - said, 0.0, IN_VAIN))
    kept: np.ndarray[Any, Any] = np.where(missed, beyond, worded)
    return kept


def told_apart_by(cause: Cause, observation: Observation) -> Subject:
    """The part of an observation's subject by which a cause tells its instances apart.

    What follows from a fault is seen on other ranks and hosts too, so who saw it tells no instances apart.
    """
    effect = cause.effect(observation.symptom)
    follows = effect is not None and effect.role is not Role.INITIATING
    parts = [name for name in cause.on if not (follows and name in WHO)]
    known = observation.subject.known()
    told = {name: value for name, value in known.items() if name in parts}
    if "owner" in known and told.keys() & OWNED:
        told["owner"] = known["owner"]
    return Subject.of(told)


def _subjects(cause: Cause, observed: Sequence[Observation]) -> list[Subject]:
    """The subjects on which a cause could be at work: those of the symptoms that it would show.

    Two names of one thing (a GPU's index here, its address there) are one subject as long as nothing contradicts it.
    More subjects than a set can hold are one instance on all of them: eight GPUs lost at once are one fault.
    """
    found = {
        told_apart_by(cause, each) for each in observed if each.state is State.PRESENT and cause.effect(each.symptom)
    }
    kept: list[Subject] = []
    for subject in sorted(found - {NOBODY}, key=lambda each: (-len(each.known()), str(each))):
        same = [i for i, other in enumerate(kept) if other.agrees_with(subject)]
        if not same:
            kept.append(subject)
        elif len(same) == 1:
            kept[same[0]] = Subject.of(subject.known() | kept[same[0]].known())
        if len(kept) == noisy_or.MAX_SET:  # of thousands the rest need not be compared
            return [NOBODY]
    return kept or [NOBODY]


def own_bits(network: Network) -> np.ndarray[Any, Any]:
    """Bits that speak for each instance from what it initiates and what is there.

    Consequences name nobody: an end by the memory limit is what a leak comes to, and no sign of one.
    """
    bits = noisy_or.weight_of_evidence(network.strength, network.leak, network.present)
    seen: np.ndarray[Any, Any] = (bits * (network.initiating & network.present)).sum(axis=1)
    return seen


def unaccounted(network: Network, causes: Sequence[int]) -> list[Observation]:
    """Telling symptoms that are there and that none of the instances would show: the work of a fault nobody named."""
    if not causes:
        return []
    shown = network.strength[list(causes)].max(axis=0) > network.leak
    return [
        each
        for each, there, explained, leak in zip(network.observed, network.present, shown, network.leak, strict=True)
        if there and not explained and leak <= TELLING
    ]


def at_work(slugs: Sequence[str], posterior: noisy_or.Posterior) -> dict[str, float]:
    """How probable it is that each cause is at work on any subject; `slugs` names the cause of each instance."""
    found = dict.fromkeys(slugs, 0.0)
    for causes, probability in zip(posterior.sets, posterior.probability.tolist(), strict=True):
        if probability < NEGLIGIBLE:
            break
        for slug in {slugs[i] for i in causes}:
            found[slug] += probability
    return found


def shaken(network: Network, answer: set[str]) -> float:
    """The share of shaken tables in which each cause of the answer is more probable than not.

    Another one that is as probable is no rival then: both are at work.

    Every prior, strength and leak is moved in odds by a factor between 1/2 and 2, drawn from a fixed sequence, and what
    the words say is made as much weaker or stronger; only the instances that explain something, the best ones first,
    take part.
    """
    import numpy as np

    rank = network.best(SHAKEN_INSTANCES)
    slugs = [network.instances[i].cause.slug for i in rank]
    draw = np.random.default_rng(0)
    stays = 0
    for _ in range(SHAKES):
        result = noisy_or.solve(
            _shake(network.prior[rank], draw),
            _shake(network.strength[rank], draw),
            _shake(network.leak, draw),
            network.present,
            max_set=2,
            nothing=NOTHING_KNOWN,
            hint=_shaken_hint(network.worded[rank], draw),
            lifts_to=LIFTED_TO,
        )
        share = at_work(slugs, result)
        stays += all(share[slug] > 0.5 for slug in answer)
    return stays / SHAKES


def carriers(network: Network, slug: str, least: float) -> list[Observation]:
    """The observations, one a symptom, without whose symptom a cause would be less probable than `least`.

    By the symptoms alone. Of the instances only those that the evidence speaks most for take part.
    """
    rank = network.best(SHAKEN_INSTANCES)
    slugs = [network.instances[i].cause.slug for i in rank]
    mine = [row for row, name in zip(rank, slugs, strict=True) if name == slug]
    shown = network.present & (network.strength[mine] > network.leak).any(axis=0)
    found = []
    for name in dict.fromkeys(each.symptom for each, there in zip(network.observed, shown, strict=True) if there):
        kept = [column for column, each in enumerate(network.observed) if each.symptom != name]
        result = noisy_or.solve(
            network.prior[rank],
            network.strength[rank][:, kept],
            network.leak[kept],
            network.present[kept],
            max_set=2,
            nothing=NOTHING_KNOWN,
        )
        if at_work(slugs, result)[slug] < least:
            columns = zip(network.observed, shown, strict=True)
            found.append(next(each for each, there in columns if there and each.symptom == name))
    return found


def _shaken_hint(bits: np.ndarray[Any, Any], draw: np.random.Generator) -> np.ndarray[Any, Any] | None:
    return bits * math.log(2) * math.exp(draw.uniform(-math.log(2), math.log(2))) if bits.any() else None


def _shake(values: np.ndarray[Any, Any], draw: np.random.Generator) -> np.ndarray[Any, Any]:
    import numpy as np

    factor = np.exp(draw.uniform(-math.log(2), math.log(2), values.shape))
    inside = np.clip(values, 1e-9, 1 - 1e-9)
    odds = inside / (1 - inside) * factor
    return np.where(values > 0, odds / (1 + odds), 0.0)
