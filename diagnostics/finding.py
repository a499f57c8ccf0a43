"""What a diagnosis found, in sentences, each with the lines that it stands on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .evidence import Severity, Source, each_once
from .evidence.probe import Outcome, ProbeAnswer
from .filesystems import by_name
from .hypothesis import Hypothesis, Verdict, named
from .incident import Incident
from .observation import Observation
from .precedents import NO_WORDS, Likeness
from .symptoms import all_symptoms
from .time_order import TimeOrder, time_order

SUSPECTS_NAMED = 4
SUSPECT_POSTERIOR = 0.02  # least of one that is named among the likeliest
SUSPECTED = 0.1  # least of the first of them: below it they are little more than how often each happens


@dataclass(frozen=True)
class Sentence:
    """Something said, and the lines that say it, each once."""

    text: str
    sources: tuple[Source, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "sources", each_once(self.sources))


def find(
    incident: Incident,
    present: Sequence[Observation],
    verdict: Verdict,
    hypotheses: Sequence[Hypothesis],
    words: Likeness = NO_WORDS,
    lacking: str = "",
) -> Iterator[Sentence]:
    """The finding. `hypotheses` are those that the verdict names; all of them, most probable first, where it names
    none.

    `lacking` says what keeps the first of them from being an answer.
    """
    match verdict:
        case Verdict.HEALTHY:
            yield from _healthy(present)
        case Verdict.INSUFFICIENT:
            yield from _undecided(incident, present, hypotheses, lacking)
        case _:
            for each in hypotheses:
                yield from _caused_by(incident, each)
                yield from _worded(each, words)
            if verdict is Verdict.INDEPENDENT_CAUSES:
                yield Sentence("These are independent of each other: neither explains what the other does.")
    yield from _set_aside(incident, present)


def seen(observation: Observation) -> str:
    """What was seen of a symptom: its own words for this incident, else its title."""
    return observation.notes[0] if observation.notes else all_symptoms()[observation.symptom].title


def _set_aside(incident: Incident, present: Sequence[Observation]) -> Iterator[Sentence]:
    """Grave facts that are older than the run, and that nothing was made of for that."""
    used = {(source.file, source.line) for each in present for source in each.sources}
    grave = (fact for fact in incident.timeline.set_aside if fact.severity is not Severity.WARNING)
    lines = each_once(source for fact in grave if ((source := fact.source).file, source.line) not in used)
    if lines:
        what = "1 grave line is" if len(lines) == 1 else f"{len(lines)} grave lines are"
        yield Sentence(f"Set aside: {what} older than the run.", lines)


def _healthy(present: Sequence[Observation]) -> Iterator[Sentence]:
    yield Sentence("Nothing is wrong in what was collected.")
    signs = [each for each in present if all_symptoms()[each.symptom].healthy]
    yield from (Sentence(seen(each), each.sources[:2]) for each in signs)


def _undecided(
    incident: Incident, present: Sequence[Observation], hypotheses: Sequence[Hypothesis], lacking: str
) -> Iterator[Sentence]:
    yield Sentence("The evidence does not decide.")
    leading = [each for each in hypotheses[:SUSPECTS_NAMED] if each.posterior >= SUSPECT_POSTERIOR]
    if leading and leading[0].posterior >= SUSPECTED:
        likely = "; ".join(f"{named(each)} ({each.posterior:.0%})" for each in leading)
        yield Sentence(f"The likeliest {'are' if len(leading) > 1 else 'is'}: {likely}.")
        yield Sentence(f"The first is no answer yet: {lacking}.")
    elif present:
        yield Sentence("What was found speaks for no known cause.")
    else:
        yield Sentence("No symptom that this program knows was found in what was collected.")
    asked = incident.of(ProbeAnswer)
    if asked and len(asked) == len(incident.evidence):
        came = sum(1 for each in asked if each.outcome is Outcome.ANSWERED)
        yield Sentence(f"Nothing of a run was given, only the answers of probes: {came} of {len(asked)} came.")


def _caused_by(incident: Incident, hypothesis: Hypothesis) -> Iterator[Sentence]:
    known = "The likeliest cause" if hypothesis.is_lead else "The cause"
    said = f"{known} is {named(hypothesis)} ({hypothesis.posterior:.0%}): {hypothesis.cause.what}."
    yield Sentence(said, each_once(source for each in _explained(hypothesis) for source in each.sources[:1])[:4])
    yield from _introduce(incident, hypothesis)
    if time_order(incident, hypothesis) is TimeOrder.CONTRADICTS:
        yield Sentence("Against it: by the clocks, its consequences were seen before its first effect.")


def _worded(hypothesis: Hypothesis, words: Likeness) -> Iterator[Sentence]:
    """That the wording of the artefacts carries the answer, and which lines it is."""
    if hypothesis.is_lead:
        seen = "the symptoms alone would leave it open" if hypothesis.explains else "no known symptom shows it"
        yield Sentence(
            f"A lead and no proof: {seen}, and these lines are worded as they are in known incidents of this cause.",
            tuple(words.telling(hypothesis.slug)),
        )


def _explained(hypothesis: Hypothesis) -> list[Observation]:
    """What a hypothesis explains, the most telling one first."""
    mine = [(effect, each) for each in hypothesis.explained if (effect := hypothesis.cause.effect(each.symptom))]
    return [each for _, each in sorted(mine, key=lambda pair: pair[0].role.place)]


def _introduce(incident: Incident, hypothesis: Hypothesis) -> Iterator[Sentence]:
    """The filesystem behind a volume, in a sentence for somebody who never heard its name."""
    if mount := incident.volumes.mount_behind(hypothesis.about):
        kind = by_name(mount.filesystem)
        served = f", served by {mount.subject.server}" if mount.subject.server else ""
        yield Sentence(f"{mount.subject.mount} is {kind.title}{served}. {kind.what}.", (mount.source,))
