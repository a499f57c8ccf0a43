"""Learn from the library of precedents how each cause is worded: makes diagnostics/precedents/model.npz anew.

    python scripts/precedents.py            learn, write the model and say how well it does
    python scripts/precedents.py --measure  only say how well it does on incidents that it has not seen

Needs scikit-learn, which the tests bring; what is learned is applied with numpy alone.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GroupKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import LinearSVC

from diagnostics.precedents.library import FOLDER, Precedent, digest, precedents
from diagnostics.precedents.model import MODEL, Model
from diagnostics.precedents.wording import grams, shape

GRAMS = 16_000  # of those that three precedents share; 38,000 do no better and 8,000 worse
SHARED_BY = 3
FOLDS = 5
NAMED_BY = 5  # precedents with an artefact of that name


def learn(library: Sequence[Precedent], temperature: float = 1.0, of: str = "") -> Model:
    """One linear support-vector machine a label over all labels, on tf-idf weights of what stands in a text.

    `of` is the digest of the library. Source: Joachims, Text Categorization with Support Vector Machines (1998).
    """
    names = _names(library)
    texts = [list(_lines(each, names)) for each in library]
    labels = MultiLabelBinarizer()
    wanted = labels.fit_transform([each.labels for each in library])
    kept = _telling_grams(texts, wanted)
    words = _words(vocabulary=kept)
    fitted = _fit(words.fit_transform(texts), wanted)
    return Model(
        tuple(labels.classes_),
        {gram: place for place, gram in enumerate(kept)},
        names,
        words.idf_.astype(np.float32),
        fitted.weight.T.astype(np.float16),
        fitted.bias.astype(np.float32),
        (wanted.sum(axis=0) / wanted.sum()).astype(np.float32),
        temperature,
        of,
    )


def _names(library: Sequence[Precedent]) -> frozenset[str]:
    """The shapes of names that several precedents have: others may say anything."""
    counts = Counter(shape(name) for each in library for name in each.artefacts)
    return frozenset(name for name, count in counts.items() if count >= NAMED_BY)


def _lines(precedent: Precedent, names: frozenset[str]) -> Iterator[str]:
    for name, text in precedent.artefacts.items():
        yield name if shape(name) in names else ""
        yield from text.splitlines()


def _telling_grams(texts: Sequence[Sequence[str]], wanted: np.ndarray) -> list[str]:
    words = _words()
    weight = _fit(words.fit_transform(texts), wanted).weight
    best = np.argsort(-np.abs(weight).max(axis=0), kind="stable")[:GRAMS]
    return sorted(words.get_feature_names_out()[best])


class _Fitted:
    def __init__(self, machines: Sequence[LinearSVC]) -> None:
        self.weight = np.vstack([each.coef_ for each in machines])
        self.bias = np.array([each.intercept_[0] for each in machines])


def _fit(texts: object, wanted: object) -> _Fitted:
    return _Fitted(OneVsRestClassifier(LinearSVC(random_state=0)).fit(texts, wanted).estimators_)


def _words(**options: object) -> TfidfVectorizer:
    return TfidfVectorizer(
        analyzer=lambda lines: [gram for line in lines for gram in grams(line)],
        binary=True,
        min_df=1 if options else SHARED_BY,
        **options,
    )


def held_out(library: Sequence[Precedent]) -> np.ndarray:
    """The scores of each precedent by a model that saw neither it nor another of its source: (precedents, labels)."""
    groups = [each.thread if each.is_public else str(place) for place, each in enumerate(library)]
    names = sorted({label for each in library for label in each.labels})
    scores = np.full((len(library), len(names)), -2.0)
    for seen, unseen in GroupKFold(FOLDS, shuffle=True, random_state=0).split(library, groups=groups):
        model = learn([library[i] for i in seen])
        columns = [names.index(label) for label in model.labels]
        for i in unseen:
            scores[i, columns] = model.scores(_lines(library[i], model.names))
    return scores


def calibrated(scores: np.ndarray, library: Sequence[Precedent]) -> float:
    """The temperature under which the probabilities of the labels are most like what was there (least log loss)."""
    right = _right(library)

    def loss(temperature: float) -> float:
        return float(-np.log((_softmax(scores * temperature) * right).sum(axis=1)).mean())

    return float(min(np.arange(1.0, 12.01, 0.25), key=loss))


def _right(library: Sequence[Precedent]) -> np.ndarray:
    names = sorted({label for each in library for label in each.labels})
    return np.array([[label in each.labels for label in names] for each in library], dtype=float)


def _softmax(scores: np.ndarray) -> np.ndarray:
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def measure(scores: np.ndarray, library: Sequence[Precedent], temperature: float) -> None:
    """Print how often the leading label of an unseen precedent is right, by how probable it is said to be."""
    chance = _softmax(scores * temperature)
    right = _right(library)[np.arange(len(library)), chance.argmax(axis=1)]
    said = chance.max(axis=1)
    print(f"{len(library)} precedents, each by a model that has not seen it: {right.mean():.0%} right")
    print("probability of the leading label   precedents   mean   share right")
    for low, high in ((0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 0.9), (0.9, 1.01)):
        inside = (said >= low) & (said < high)
        if inside.any():
            print(
                f"{low:.1f} to {min(high, 1.0):.1f} {inside.sum():34} {said[inside].mean():6.2f} {right[inside].mean():13.2f}"
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", help="write nothing")
    parser.add_argument("--library", type=Path, default=FOLDER, help="another folder of precedents")
    parser.add_argument("--output", type=Path, default=MODEL, help="another place for the model")
    asked = parser.parse_args()
    library = list(precedents(asked.library))
    scores = held_out(library)
    temperature = calibrated(scores, library)
    print(f"temperature {temperature:.2f}")
    measure(scores, library, temperature)
    if not asked.measure:
        learn(library, temperature, digest(asked.library)).save(asked.output)
        print(f"wrote {asked.output} ({asked.output.stat().st_size / 1e6:.1f} MB)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
