"""What the wording adds to the symptoms, on precedents that the learner has not seen.

The rules were written with many of these incidents at hand, so their share of the answers says little of a new one;
what the words add to it, and how often they mislead, is measured on what they have not seen.

    python -m benchmarks precedents [N]     N: how many precedents from public threads (600)
"""

from __future__ import annotations

import importlib.util
import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import ModuleType

from diagnostics.causes import all_causes
from diagnostics.diagnosis import Diagnosis, judge
from diagnostics.hypothesis import Verdict
from diagnostics.incident import Incident, open_incident
from diagnostics.observation import observe
from diagnostics.precedents import NO_WORDS, compare, wording
from diagnostics.precedents.comparison import LABELS_OF_NO_CAUSE
from diagnostics.precedents.library import Precedent, precedents
from diagnostics.precedents.model import Model

CONFIDENT = 0.8
FOLDS = 5
BINS = (0.0, 0.5, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99, 1.000001)
UNKNOWN = ("fork-deadlock", "quota-exceeded", "interconnect-link-fault", "gpu-thermal-or-power", "memory-leak")


def learners() -> tuple[list[Precedent], list[set[str]], list[Model]]:
    """The precedents from public threads, the threads of each fold, and a model that has not seen them."""
    script = learning()
    library = list(precedents())
    threads = sorted({each.thread for each in library if each.is_public})
    random.Random(0).shuffle(threads)
    folds = [set(threads[fold::FOLDS]) for fold in range(FOLDS)]
    temperature = Model.load().temperature
    models = [script.learn([each for each in library if each.thread not in fold], temperature) for fold in folds]
    return [each for each in library if each.is_public], folds, models


def learning() -> ModuleType:
    """The script that learns."""
    path = Path(__file__).parents[1] / "scripts" / "precedents.py"
    spec = importlib.util.spec_from_file_location("learn_precedents", path)
    assert spec and spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


@dataclass(frozen=True)
class Answer:
    """How an answer stands to what became known, and how sure it is."""

    result: str
    posterior: float
    named: bool


def answer(diagnosis: Diagnosis, labels: tuple[str, ...]) -> Answer:
    """How an answer stands to what became known."""
    if diagnosis.verdict in (Verdict.INSUFFICIENT, Verdict.HEALTHY):
        return Answer("right" if labels[0] in LABELS_OF_NO_CAUSE else "undecided", 0.0, False)
    first = diagnosis.answer[0]
    if first.slug in labels:
        name = "right"
    elif labels[0] in LABELS_OF_NO_CAUSE:
        name = "named where nothing decides"
    else:
        name = "wrong, and sure" if first.posterior >= CONFIDENT else "wrong"
    return Answer(name, first.posterior, True)


def observed(precedent: Precedent) -> Incident:
    """A precedent as an incident."""
    with tempfile.TemporaryDirectory() as place:
        for name, text in precedent.artefacts.items():
            (Path(place) / name).write_text(text)
        return open_incident(place)


def show_answers(held: list[Precedent], folds: list[set[str]], models: list[Model]) -> None:
    """Print the answers by the symptoms alone and with the words of a model that has not seen the incident."""
    answers: tuple[list[Answer], list[Answer]] = ([], [])
    for title, some in (
        ("whose cause became known", [each for each in held if each.labels[0] not in LABELS_OF_NO_CAUSE]),
        ("that nothing decides, or healthy", [each for each in held if each.labels[0] in LABELS_OF_NO_CAUSE]),
    ):
        alone: list[Answer] = []
        worded: list[Answer] = []
        for each in some:
            incident = observed(each)
            observations = observe(incident)
            model = next(model for model, fold in zip(models, folds, strict=True) if each.thread in fold)
            words = compare(wording(incident.texts, incident.evidence), model)
            alone.append(answer(judge(incident.wordless(), observations), each.labels))
            worded.append(answer(judge(incident, observations, words=words), each.labels))
        print(f"\n{len(some)} precedents {title}, each by a model that has not seen its thread")
        print(f"{'':28} symptoms alone   with the wording")
        counts = [Counter(each.result for each in both) for both in (alone, worded)]
        for name in ("right", "undecided", "named where nothing decides", "wrong", "wrong, and sure"):
            if any(count[name] for count in counts):
                print(f"{name:28} {counts[0][name] / len(some):14.1%} {counts[1][name] / len(some):18.1%}")
        answers[0].extend(alone)
        answers[1].extend(worded)
    show_reliability(*answers)


def show_reliability(alone: list[Answer], worded: list[Answer]) -> None:
    """Print, of the answers of each posterior, how many are right: a curve on the diagonal is calibrated."""
    print(f"\n{'':28} symptoms alone   with the wording")
    print(f"{'posterior of the answer':28} answers  right   answers  right")
    for low, high in pairwise(BINS):
        row = f"{f'{low:.2f} to {min(high, 1):.2f}':28}"
        for some in (alone, worded):
            inside = [each.result == "right" for each in some if each.named and low <= each.posterior < high]
            row += f" {len(inside):7} {sum(inside) / len(inside):6.0%}  " if inside else f" {0:7} {'':8}"
        print(row.rstrip())


def show_unknown_causes(held: list[Precedent]) -> None:
    """Print how often a cause that neither table nor library knows is given another's name."""
    library = list(precedents())
    script = learning()
    temperature = Model.load().temperature
    print(f"\n{'a cause that nobody knows':28} precedents   named by symptoms alone   with the wording")
    for cause in UNKNOWN:
        model = script.learn([each for each in library if cause not in each.labels], temperature)
        others = [each for each in all_causes().values() if each.slug != cause]
        some = [each for each in held if each.labels == (cause,)][:40]
        named = [0, 0]
        for each in some:
            incident = observed(each)
            observations = observe(incident)
            words = compare(wording(incident.texts, incident.evidence), model)
            for place, said in enumerate((NO_WORDS, words)):
                named[place] += bool(judge(incident, observations, others, said).answer)
        print(f"{cause:28} {len(some):10} {named[0]:25} {named[1]:18}")


def main() -> None:
    """Print the answers on unseen precedents, and on those of causes that nobody knows."""
    held, folds, models = learners()
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    show_answers(random.Random(1).sample(held, min(len(held), number)), folds, models)
    show_unknown_causes(held)


if __name__ == "__main__":
    main()
