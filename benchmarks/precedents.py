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
from pathlib import Path
from types import ModuleType

from diagnostics.causes import all_causes
from diagnostics.diagnosis import Diagnosis, judge
from diagnostics.hypothesis import Verdict
from diagnostics.incident import Incident, open_incident
from diagnostics.precedents import NO_WORDS, compare, wording
from diagnostics.precedents.comparison import LABELS_OF_NO_CAUSE
from diagnostics.precedents.library import Precedent, precedents
from diagnostics.precedents.model import Model
from diagnostics.symptoms import observe

CONFIDENT = 0.8
FOLDS = 5
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


def result(diagnosis: Diagnosis, labels: tuple[str, ...]) -> str:
    """How an answer stands to what became known."""
    if diagnosis.verdict in (Verdict.INSUFFICIENT, Verdict.HEALTHY):
        return "right" if labels[0] in LABELS_OF_NO_CAUSE else "undecided"
    if diagnosis.answer[0].slug in labels:
        return "right"
    if labels[0] in LABELS_OF_NO_CAUSE:
        return "named where nothing decides"
    return "wrong, and sure" if diagnosis.answer[0].posterior >= CONFIDENT else "wrong"


def observed(precedent: Precedent) -> Incident:
    """A precedent as an incident."""
    with tempfile.TemporaryDirectory() as place:
        for name, text in precedent.artefacts.items():
            (Path(place) / name).write_text(text)
        return open_incident(place)


def show_answers(held: list[Precedent], folds: list[set[str]], models: list[Model]) -> None:
    """Print the answers by the symptoms alone and with the words of a model that has not seen the incident."""
    for title, some in (
        ("whose cause became known", [each for each in held if each.labels[0] not in LABELS_OF_NO_CAUSE]),
        ("that nothing decides, or healthy", [each for each in held if each.labels[0] in LABELS_OF_NO_CAUSE]),
    ):
        alone: Counter[str] = Counter()
        worded: Counter[str] = Counter()
        for each in some:
            incident = observed(each)
            observations = observe(incident)
            model = next(model for model, fold in zip(models, folds, strict=True) if each.thread in fold)
            words = compare(wording(incident.texts, incident.evidence), model)
            alone[result(judge(incident.wordless(), observations), each.labels)] += 1
            worded[result(judge(incident, observations, words=words), each.labels)] += 1
        print(f"\n{len(some)} precedents {title}, each by a model that has not seen its thread")
        print(f"{'':28} symptoms alone   with the wording")
        for name in ("right", "undecided", "named where nothing decides", "wrong", "wrong, and sure"):
            if alone[name] + worded[name]:
                print(f"{name:28} {alone[name] / len(some):14.1%} {worded[name] / len(some):18.1%}")


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
