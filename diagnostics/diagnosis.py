"""From symptoms to one root cause, or to the honest word that the evidence does not decide.

Causes become instances on subjects (a stall of /workspace is not a stall of /data), the noisy-OR network is
solved exactly, and the answer is shaken: each number of the table is moved by up to a factor of two, many
times, and an answer that does not survive is not given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from . import noisy_or
from .causes import Cause
from .evidence import NOBODY, Subject
from .finding import Sentence, find
from .garbage import no_collection
from .hypothesis import ANSWER_POSTERIOR, Hypothesis, Verdict, named
from .incident import Incident
from .network import Instance, Network, at_work, build, carriers, own_bits, shaken, told_apart_by, unaccounted
from .observation import Observation, State, observe
from .precedents import Likeness, compare, wording
from .printable import PLAIN, cite, escaped
from .symptoms import all_symptoms

if TYPE_CHECKING:
    import pandas as pd

ANSWER_BITS = 3.0  # what a cause initiates must speak at least this much for it (8 to 1 over chance)
ANSWER_ROBUSTNESS = 0.7  # share of shaken tables in which the answer must stay
LEAD = 0.5  # both of them for a lead, a cause that the wording of the artefacts names
LEAD_BITS = 5.0  # what symptoms and wording must speak at least for a lead (32 to 1)
IN_REACH = 0.5  # of a lead's posterior: a rival that probable leaves it open
FAINT = "var(--jp-ui-font-color2, #616161)"
GOOD_END = "finished-normally"  # after it counts for nothing what the lines sound like
WORDING = "wording"  # the row of `Diagnosis.weights` that no symptom has
OFTEN = 0.3  # a cause that shows a symptom at least so often misses it, and leaves it to others that do
EXPLAINED = 0.5  # a symptom counts as explained by a cause that shows it at least half as strongly as any


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """What one incident comes to. Made by `diagnose`; nothing in it changes.

    `hypotheses` are sorted, most probable first, and always hold the rivals. `answer` is the part of them that
    the verdict names. `robustness` is the share of shaken tables in which that answer stays; without an answer,
    `lacking` says what keeps the most probable hypothesis from being one. `words` is what the wording of the artefacts
    says for each cause.
    """

    incident: Incident = field(repr=False)
    observations: tuple[Observation, ...] = field(repr=False)
    verdict: Verdict
    answer: tuple[Hypothesis, ...]
    hypotheses: tuple[Hypothesis, ...] = field(repr=False)
    robustness: float
    lacking: str
    words: Likeness = field(repr=False)
    network: Network = field(repr=False)

    def __repr__(self) -> str:
        return f"<Diagnosis {self.headline}>"

    def _repr_html_(self) -> str:
        """The verdict and its finding: one heading, one paragraph, with the lines it stands on."""
        names = "; ".join(f"{named(each)}, {each.posterior:.0%}" for each in self.answer)
        heading = escaped(self.called + (f": {names}" if names else ""))
        sentences = " ".join(
            f"{escaped(each.text)} <span style='color: {FAINT}'>{escaped(cite(each.sources))}</span>"
            for each in self.finding
        )
        return f"<div {PLAIN}><strong>{heading}</strong><p>{sentences}</p></div>"

    @property
    def called(self) -> str:
        """The verdict in words; an answer that only the wording makes is called what it is."""
        only_leads = bool(self.answer) and all(each.is_lead for each in self.answer)
        return "a lead, not proven" if only_leads else self.verdict.value

    @property
    def headline(self) -> str:
        """The diagnosis in one line: the verdict, the causes, how much is seen and unexplained."""
        names = "; ".join(f"{named(each)} ({each.posterior:.0%})" for each in self.answer)
        table = all_symptoms()
        ill = [each for each in self.present if not table[each.symptom].healthy]
        told = f"{self.called}: {names}" if names else self.called
        present = "1 symptom" if len(ill) == 1 else f"{len(ill)} symptoms"
        return f"{told}; {present} present, {len(self.unexplained)} unexplained"

    @cached_property
    def finding(self) -> tuple[Sentence, ...]:
        """What was found, in sentences, each with the lines that it stands on; last, what failed in looking for it."""
        told = find(self.incident, self.present, self.verdict, self.answer or self.hypotheses, self.words, self.lacking)
        failed = (each for each in self.observations if each.state is State.UNOBSERVED and each.notes)
        return (*told, *(Sentence(f"A defect of this program: {each.notes[0]}.") for each in failed))

    @property
    def present(self) -> list[Observation]:
        """The symptoms that are there, signs of health included."""
        return [each for each in self.observations if each.state is State.PRESENT]

    @cached_property
    def unexplained(self) -> list[Observation]:
        """Symptoms that are there and that no cause of the answer explains."""
        table = all_symptoms()
        left = [each for each in self.present if not table[each.symptom].healthy]
        return [each for each in left if not any(each in cause.explained for cause in self.answer)]

    @cached_property
    def hangs_on(self) -> tuple[Observation, ...]:
        """The observations of which each alone carries the answer: were it misread, a cause would not be named.

        Empty for an answer that stands without any one symptom, for a lead, and where there is no answer.
        """
        proven = [each.slug for each in self.answer if not each.is_lead]
        carrying = (each for slug in proven for each in carriers(self.network, slug, ANSWER_POSTERIOR))
        return tuple({each.symptom: each for each in carrying}.values())

    @property
    def weights(self) -> pd.DataFrame:
        """Bits that each symptom speaks for (positive) or against each hypothesis: rows symptoms, columns causes.

        The last row is what the wording of the artefacts says.
        """
        import pandas as pd

        network = self.network
        bits = noisy_or.weight_of_evidence(network.strength, network.leak, network.present)
        names = [f"{i.cause.slug} on {i.subject}" if i.subject != NOBODY else i.cause.slug for i in network.instances]
        frame = pd.DataFrame(bits.T, columns=names, index=[each.symptom for each in network.observed])
        frame.index.name = "symptom"
        if self.words.bits:
            frame.loc[WORDING] = network.worded
        order = [names[network.instances.index(Instance(h.cause, h.subject))] for h in self.hypotheses]
        return frame[order]

    def without(self, *files: str) -> Diagnosis:
        """The diagnosis as if some files had not been collected."""
        return diagnose(self.incident.without(*files))

    def wordless(self) -> Diagnosis:
        """The diagnosis by the symptoms alone, as if nobody knew how the artefacts are worded."""
        return judge(self.incident.wordless(), self.observations)

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
        return judge(self.incident, changed, words=self.words)


def diagnose(incident: Incident) -> Diagnosis:
    """Judge an incident: deterministic, without a network connection, the same answer twice."""
    with no_collection():
        return judge(incident, observe(incident))


def judge(
    incident: Incident,
    observations: Sequence[Observation],
    causes: Iterable[Cause] | None = None,
    words: Likeness | None = None,
) -> Diagnosis:
    """Judge observations that were made, or assumed, of an incident.

    `causes` are other causes than the table's, `words` is another opinion of the incident's wording than the library's.
    """
    if words is None:
        words = compare(wording(incident.texts, incident.evidence, incident.timeline.set_aside))
    found = _judged(incident, observations, build(observations, causes, words), words)
    if found.answer or not found.network.worded.any():
        return found
    # words take no answer from the symptoms
    by_symptoms = _judged(incident, observations, found.network.wordless(), words)
    return by_symptoms if by_symptoms.answer else found


def _judged(incident: Incident, observations: Sequence[Observation], network: Network, words: Likeness) -> Diagnosis:
    hypotheses = _hypotheses(incident, network, words)
    leading, lacking = _leading(network, hypotheses)
    robustness = shaken(network, {each.slug for each in leading}) if leading else 0.0
    if leading and robustness < _must_stay(leading):
        leading, lacking = (
            (),
            f"it stays in {robustness:.0%} of the shaken tables, of which {_must_stay(leading):.0%} are needed",
        )
    verdict = _verdict(network, observations, leading)
    return Diagnosis(
        incident, tuple(observations), verdict, leading, hypotheses, round(robustness, 3), lacking, words, network
    )


def _hypotheses(incident: Incident, network: Network, words: Likeness) -> tuple[Hypothesis, ...]:
    bits = noisy_or.weight_of_evidence(network.strength, network.leak, network.present)
    best = network.strength.max(axis=0, initial=0.0)
    by_symptoms = at_work(network.slugs, network.by_symptoms)
    found = []
    for row, instance in enumerate(network.instances):
        explained, opposed = [], []
        for column, each in enumerate(network.observed):
            strength = network.strength[row, column]
            if network.present[column]:
                if strength >= EXPLAINED * best[column] and strength > network.leak[column]:
                    explained.append(each)
                elif strength <= network.leak[column] and best[column] > OFTEN:
                    opposed.append(each)
            elif strength >= OFTEN:
                opposed.append(each)
        about = _about(incident, instance, explained, words)
        mount = incident.volumes.mount_behind(about)
        found.append(
            Hypothesis(
                instance.cause,
                instance.subject,
                about,
                float(network.posterior.marginal[row]),
                by_symptoms[instance.cause.slug],
                float(bits[row].sum() + network.worded[row]),
                float(network.worded[row]),
                tuple(explained),
                tuple(opposed),
                mount.filesystem if mount else "",
            )
        )
    return tuple(sorted(found, key=lambda each: (-each.posterior, each.cause.slug)))


def _about(incident: Incident, instance: Instance, explained: Sequence[Observation], words: Likeness) -> Subject:
    """All that is known of the instance's subject: what its evidence agrees on, and the server behind a mount.

    Where no symptom speaks for it, its evidence are the facts of the lines whose wording does.
    """
    about = instance.subject
    mine = [
        each.subject.known() for each in explained if instance.subject.agrees_with(told_apart_by(instance.cause, each))
    ]
    if not mine and words.bits.get(instance.cause.slug, 0.0) >= ANSWER_BITS:
        telling = {(each.file, each.line) for each in words.telling(instance.cause.slug)}
        facts = (fact for fact in incident.evidence if (fact.source.file, fact.source.line) in telling)
        mine = [{name: v for name, v in f.subject.known().items() if name in instance.cause.on} for f in facts]
    # one instance on several things (eight GPUs) must not be said to be on the first of them
    names = (*instance.cause.on, "owner")
    several = {name for name in names if len({known[name] for known in mine if name in known}) > 1}
    for known in mine:
        gained = {name: v for name, v in known.items() if getattr(about, name) is None and name not in several}
        about = Subject.of(about.known() | gained)
    if mount := incident.volumes.mount_behind(about):
        about = replace(about, server=about.server or mount.subject.server, device=mount.subject.device)
    return about


def _leading(network: Network, hypotheses: Sequence[Hypothesis]) -> tuple[tuple[Hypothesis, ...], str]:
    """The causes of the most probable set that are probable enough, and spoken for enough by what they initiate.

    By the symptoms alone, or as a lead: words name one cause at most, and none by speaking against its rivals. None
    while something telling is there that the set does not account for: a fault that the table does not know may be
    behind the rest too. What counts is that the cause is at work at all: on which of two subjects may stay open, and a
    second one needs a posterior of its own. Where there is none, what the likeliest lacks.
    """
    likeliest = network.posterior.sets[0]
    if strange := unaccounted(network, likeliest):
        title = all_symptoms()[strange[0].symptom].title
        return (), f"the likeliest explanation does not account for “{title}”, and something must have caused it"
    own = own_bits(network)
    told = own + network.worded
    chosen = [i for i in likeliest if own[i] >= ANSWER_BITS]
    if not chosen:
        chosen = [i for i in sorted(likeliest, key=lambda i: -told[i])[:1] if told[i] >= ANSWER_BITS]
    found = at_work(network.slugs, network.posterior)
    bits = {(network.slugs[i], network.instances[i].subject): float(told[i]) for i in chosen}
    mine = [(each, bits[key]) for each in hypotheses if (key := (each.slug, each.subject)) in bits]
    lacks = [(each, _lacks(each, found, speaks)) for each, speaks in mine]
    sure = [each for each, lack in lacks if not lack]
    if sure:
        first = {each.slug: each for each in reversed(sure)}
        return tuple(each for each in sure if each is first[each.slug] or each.posterior >= ANSWER_POSTERIOR), ""
    leader = hypotheses[0] if hypotheses else None
    return (), next((lack for each, lack in lacks if each is leader), _out_of_reach(network, leader))


def _out_of_reach(network: Network, leader: Hypothesis | None) -> str:
    """Why the most probable hypothesis was not even weighed as an answer."""
    if leader is None or leader.bits < ANSWER_BITS:
        return f"less than {ANSWER_BITS:.0f} bits (8 to 1) speak for it"
    likeliest = {(network.slugs[i], network.instances[i].subject) for i in network.posterior.sets[0]}
    if not likeliest:
        return "that it was none of the known causes is likelier still"
    if (leader.slug, leader.subject) not in likeliest:
        return "another explanation of all that was seen is as likely"
    return f"what it initiates speaks less than {ANSWER_BITS:.0f} bits (8 to 1) for it"


def _lacks(hypothesis: Hypothesis, found: Mapping[str, float], bits: float) -> str:
    """What a cause lacks to be an answer, nothing where it is one.

    By the posterior of each cause, `found`, and by what symptoms of its own and the wording speak for this one.
    """
    posterior = found[hypothesis.slug]
    probable = min(posterior, hypothesis.by_symptoms)
    if probable >= ANSWER_POSTERIOR:
        return ""
    if not hypothesis.is_lead or hypothesis.worded < ANSWER_BITS:  # a hair of wording makes no answer
        return f"its symptoms make it {probable:.0%} probable, and an answer needs {ANSWER_POSTERIOR:.0%}"
    if bits < LEAD_BITS:
        return f"symptoms and wording speak {bits:.1f} bits for it, and a lead needs {LEAD_BITS:.0f} (32 to 1)"
    if posterior < LEAD:
        return "the wording of the lines does not make it more likely than not"
    rival = max((other for slug, other in found.items() if slug != hypothesis.slug), default=0.0)
    return "the next one is within reach of it" if rival > IN_REACH * posterior else ""


def _must_stay(leading: Sequence[Hypothesis]) -> float:
    return LEAD if all(each.is_lead for each in leading) else ANSWER_ROBUSTNESS


def _verdict(network: Network, observations: Sequence[Observation], leading: Sequence[Hypothesis]) -> Verdict:
    if leading:
        several = len({each.cause.slug for each in leading}) > 1
        return Verdict.INDEPENDENT_CAUSES if several else Verdict.ROOT_CAUSE
    table = all_symptoms()
    names = {each.symptom for each in observations if each.state is State.PRESENT}
    present = [table[name] for name in names]
    quiet = GOOD_END in names or network.worded.max(initial=0.0) < ANSWER_BITS
    if quiet and any(each.healthy for each in present) and all(each.healthy for each in present):
        return Verdict.HEALTHY
    return Verdict.INSUFFICIENT
