"""From symptoms to one root cause, or to the honest word that the evidence does not decide.

Causes become instances on subjects (a stall of /workspace is not a stall of /data), the noisy-OR network is
solved exactly, and the answer is shaken: each number of the table is moved by up to a factor of two, many
times, and an answer that does not survive is not given.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import noisy_or
from .causes import Cause, Role, all_causes
from .evidence import NOBODY, Subject
from .incident import Incident
from .symptoms import Observation, State, Symptom, all_symptoms, observe

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

ANSWER_POSTERIOR = 0.75  # below this a leading cause is a suspect, not an answer
ANSWER_BITS = 3.0  # the evidence must speak at least this much for an answer (8 to 1 over chance)
ANSWER_ROBUSTNESS = 0.7  # share of shaken tables in which the answer must stay
# independent priors that add up to one leave 37 % for no cause at all; an incident that somebody investigates is not so
# often without one of the known causes
NOTHING_KNOWN = 0.15
NEGLIGIBLE = 1e-7  # sets less probable than this change no sum
WHO = ("host", "rank", "pid", "gpu", "pci", "job")  # who saw it, as against what it happened to
SHAKES = 48
SHAKEN_INSTANCES = 14
EXPLAINED = 0.5  # a symptom counts as explained by a cause that shows it at least half as strongly as any


class Verdict(StrEnum):
    """What a diagnosis comes to."""

    ROOT_CAUSE = "root-cause"
    INDEPENDENT_CAUSES = "independent-causes"
    INSUFFICIENT = "insufficient"
    HEALTHY = "healthy"


@dataclass(frozen=True)
class Hypothesis:
    """One cause on one subject, judged.

    `subject` tells it from other instances of its cause; `about` is all that is known of that subject. `bits` is the weight of all the evidence for it, taken alone; `explains` the symptoms that it would show and
    that are there; `against` those it would have shown and that are not there, or that are there and speak for
    another.
    """

    cause: Cause
    subject: Subject
    about: Subject
    posterior: float
    bits: float
    explains: tuple[str, ...]
    against: tuple[str, ...]

    @property
    def slug(self) -> str:
        """The cause's name in verdicts."""
        return self.cause.slug


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """What one incident comes to. Made by `diagnose`; nothing in it changes.

    `hypotheses` are sorted, most probable first, and always hold the rivals. `answer` is the part of them that
    the verdict names. `robustness` is the share of shaken tables in which that answer stays.
    """

    incident: Incident = field(repr=False)
    observations: tuple[Observation, ...] = field(repr=False)
    verdict: Verdict
    answer: tuple[Hypothesis, ...]
    hypotheses: tuple[Hypothesis, ...] = field(repr=False)
    robustness: float
    _network: Network = field(repr=False)

    def __repr__(self) -> str:
        from .display import summary_line

        return f"<Diagnosis {summary_line(self)}>"

    def _repr_html_(self) -> str:
        from .display import format_diagnosis

        return format_diagnosis(self)

    @property
    def present(self) -> list[Observation]:
        """The symptoms that are there, signs of health included."""
        return [each for each in self.observations if each.state is State.PRESENT]

    @cached_property
    def unexplained(self) -> list[Observation]:
        """Symptoms that are there and that no cause of the answer explains."""
        explained = {symptom for each in self.answer for symptom in each.explains}
        table = all_symptoms()
        return [each for each in self.present if each.symptom not in explained and not table[each.symptom].healthy]

    @property
    def weights(self) -> pd.DataFrame:
        """Bits that each symptom speaks for (positive) or against each hypothesis: rows symptoms, columns causes."""
        import pandas as pd

        network = self._network
        bits = noisy_or.weight_of_evidence(network.strength, network.leak, network.present)
        names = [f"{i.cause.slug} on {i.subject}" if i.subject != NOBODY else i.cause.slug for i in network.instances]
        frame = pd.DataFrame(bits.T, columns=names, index=[each.symptom for each in network.observed])
        frame.index.name = "symptom"
        order = [names[network.instances.index(Instance(h.cause, h.subject))] for h in self.hypotheses]
        return frame[order]

    def without(self, *files: str) -> Diagnosis:
        """The diagnosis as if some files had not been collected."""
        return diagnose(self.incident.without(*files))

    def assume(self, **states: bool | None) -> Diagnosis:
        """The diagnosis as if a symptom were there (True), not there (False) or not looked for (None).

        Names use underscores: `diagnosis.assume(watchdog_killed=False)`.
        """
        changed: list[Observation] = []
        wanted = {name.replace("_", "-"): state for name, state in states.items()}
        for each in self.observations:
            if each.symptom not in wanted:
                changed.append(each)
        for name, state in wanted.items():
            if name not in all_symptoms():
                raise KeyError(f"no symptom is called {name!r}")
            kind = State.UNOBSERVED if state is None else State.PRESENT if state else State.ABSENT
            old = [each for each in self.observations if each.symptom == name]
            changed += [replace(each, state=kind) for each in old] or [Observation(name, kind)]
        return judge(self.incident, changed)


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


def diagnose(incident: Incident) -> Diagnosis:
    """Judge an incident: deterministic, without a network connection, the same answer twice."""
    return judge(incident, observe(incident))


def judge(incident: Incident, observations: Sequence[Observation], causes: Iterable[Cause] | None = None) -> Diagnosis:
    """Judge observations that were made, or assumed, of an incident; with other causes than the table's where given."""
    network = build(observations, causes)
    posterior = noisy_or.solve(network.prior, network.strength, network.leak, network.present, nothing=NOTHING_KNOWN)
    hypotheses = _hypotheses(incident, network, posterior)
    leading = _leading(network, posterior, hypotheses)
    robustness = shaken(network, {each.slug for each in leading}) if leading else 0.0
    verdict = _verdict(observations, leading, robustness)
    answer = leading if verdict in (Verdict.ROOT_CAUSE, Verdict.INDEPENDENT_CAUSES) else ()
    return Diagnosis(incident, tuple(observations), verdict, tuple(answer), hypotheses, round(robustness, 3), network)


def build(observations: Sequence[Observation], causes: Iterable[Cause] | None = None) -> Network:
    """The network of the causes (the table's, unless others are given) that the observations can bear on."""
    import numpy as np

    table = all_symptoms()
    observed = tuple(each for each in observations if each.state is not State.UNOBSERVED)
    instances = tuple(
        Instance(cause, subject)
        for cause in (all_causes().values() if causes is None else causes)
        for subject in _subjects(cause, observed)
    )
    strength = np.zeros((len(instances), len(observed)))
    for row, instance in enumerate(instances):
        for column, each in enumerate(observed):
            effect = instance.cause.effect(each.symptom)
            if effect and instance.subject.agrees_with(_on(instance.cause, each)):
                strength[row, column] = effect.strength
    return Network(
        instances,
        observed,
        np.array([instance.cause.prior for instance in instances]),
        strength,
        np.array([table[each.symptom].leak for each in observed]),
        np.array([each.state is State.PRESENT for each in observed], dtype=bool),
    )


def _on(cause: Cause, observation: Observation) -> Subject:
    """The part of an observation's subject by which a cause tells its instances apart.

    What follows from a fault is seen on other ranks and hosts too, so who saw it tells no instances apart.
    """
    effect = cause.effect(observation.symptom)
    follows = effect is not None and effect.role is not Role.INITIATING
    parts = [name for name in cause.on if not (follows and name in WHO)]
    return Subject(**{name: value for name, value in observation.subject.known().items() if name in parts})  # type: ignore[arg-type]


def _subjects(cause: Cause, observed: Sequence[Observation]) -> list[Subject]:
    """The subjects on which a cause could be at work: those of the symptoms that it would show.

    Two names of one thing (a GPU's index here, its address there) are one subject as long as nothing contradicts it.
    More subjects than a set can hold are one instance on all of them: eight GPUs lost at once are one fault.
    """
    found = {_on(cause, each) for each in observed if each.state is State.PRESENT and cause.effect(each.symptom)}
    kept: list[Subject] = []
    for subject in sorted(found - {NOBODY}, key=lambda each: (-len(each.known()), str(each))):
        same = [i for i, other in enumerate(kept) if other.agrees_with(subject)]
        if not same:
            kept.append(subject)
        elif len(same) == 1:
            kept[same[0]] = Subject(**{**subject.known(), **kept[same[0]].known()})  # type: ignore[arg-type]
    return kept if 0 < len(kept) < noisy_or.MAX_SET else [NOBODY]


def _hypotheses(incident: Incident, network: Network, posterior: noisy_or.Posterior) -> tuple[Hypothesis, ...]:
    bits = noisy_or.weight_of_evidence(network.strength, network.leak, network.present)
    best = network.strength.max(axis=0, initial=0.0)
    found = []
    for row, instance in enumerate(network.instances):
        explains, against = [], []
        for column, each in enumerate(network.observed):
            strength = network.strength[row, column]
            if network.present[column]:
                if strength >= EXPLAINED * best[column] and strength > network.leak[column]:
                    explains.append(each.symptom)
                elif strength <= network.leak[column] and best[column] > 0.3:
                    against.append(each.symptom)
            elif strength >= 0.3:
                against.append(each.symptom)
        found.append(
            Hypothesis(
                instance.cause,
                instance.subject,
                _about(incident, instance, [e for e in network.observed if e.symptom in explains]),
                float(posterior.marginal[row]),
                float(bits[row].sum()),
                tuple(dict.fromkeys(explains)),
                tuple(dict.fromkeys(against)),
            )
        )
    return tuple(sorted(found, key=lambda each: (-each.posterior, each.cause.slug)))


def _about(incident: Incident, instance: Instance, explained: Sequence[Observation]) -> Subject:
    """All that is known of the instance's subject: what its evidence agrees on, and the server behind a mount."""
    about = instance.subject
    mine = [
        each.subject.known()
        for each in explained
        if each.state is State.PRESENT and instance.subject.agrees_with(_on(instance.cause, each))
    ]
    # one instance on several things (eight GPUs) must not be said to be on the first of them
    several = {name for name in instance.cause.on if len({known[name] for known in mine if name in known}) > 1}
    for known in mine:
        gained = {name: v for name, v in known.items() if getattr(about, name) is None and name not in several}
        about = replace(about, **gained)  # type: ignore[arg-type]
    if about.mount:
        mount = next((m for m in incident.links.mounts if m.subject.mount == about.mount), None)
        if mount:
            about = replace(about, server=about.server or mount.subject.server, device=mount.subject.device)
    return about


def _leading(
    network: Network, posterior: noisy_or.Posterior, hypotheses: Sequence[Hypothesis]
) -> tuple[Hypothesis, ...]:
    """The causes of the most probable set that each reach the posterior and the bits of an answer.

    What counts is that the cause is at work at all: on which of two subjects may stay open.
    """
    chosen = [network.instances[i] for i in posterior.sets[0]]
    at_work = _at_work([instance.cause.slug for instance in network.instances], posterior)
    return tuple(
        each
        for each in hypotheses
        if Instance(each.cause, each.subject) in chosen
        and at_work[each.slug] >= ANSWER_POSTERIOR
        and each.bits >= ANSWER_BITS
    )


def _at_work(slugs: Sequence[str], posterior: noisy_or.Posterior) -> dict[str, float]:
    """How probable it is that each cause is at work on any subject; `slugs` names the cause of each instance."""
    found = dict.fromkeys(slugs, 0.0)
    for causes, probability in zip(posterior.sets, posterior.probability.tolist(), strict=True):
        if probability < NEGLIGIBLE:
            break
        for slug in {slugs[i] for i in causes}:
            found[slug] += probability
    return found


def _verdict(observations: Sequence[Observation], leading: Sequence[Hypothesis], robustness: float) -> Verdict:
    if leading and robustness >= ANSWER_ROBUSTNESS:
        several = len({each.cause.slug for each in leading}) > 1
        return Verdict.INDEPENDENT_CAUSES if several else Verdict.ROOT_CAUSE
    table = all_symptoms()
    present = [table[each.symptom] for each in observations if each.state is State.PRESENT]
    if not leading and any(each.healthy for each in present) and all(each.healthy for each in present):
        return Verdict.HEALTHY
    return Verdict.INSUFFICIENT


def shaken(network: Network, answer: set[str]) -> float:
    """The share of shaken tables in which the same causes lead with at least even odds.

    Every prior, strength and leak is moved in odds by a factor between 1/2 and 2, drawn from a fixed sequence;
    only the instances that explain something, the best ones first, take part.
    """
    import numpy as np

    bits = noisy_or.weight_of_evidence(network.strength, network.leak, network.present).sum(axis=1)
    rank = np.argsort(-(bits + np.log2(network.prior)), kind="stable")[:SHAKEN_INSTANCES]
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
        )
        at_work = _at_work(slugs, result)
        best = set(sorted(at_work, key=lambda slug: -at_work[slug])[: len(answer)])
        stays += best == answer and min(at_work[slug] for slug in answer) > 0.5
    return stays / SHAKES


def _shake(values: np.ndarray[Any, Any], draw: np.random.Generator) -> np.ndarray[Any, Any]:
    import numpy as np

    factor = np.exp(draw.uniform(-math.log(2), math.log(2), values.shape))
    inside = np.clip(values, 1e-9, 1 - 1e-9)
    odds = inside / (1 - inside) * factor
    return np.where(values > 0, odds / (1 + odds), 0.0)


def symptom_of(observation: Observation) -> Symptom:
    """The symptom that an observation is of."""
    return all_symptoms()[observation.symptom]
