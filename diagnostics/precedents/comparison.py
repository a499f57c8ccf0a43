"""How like an incident's words are to those of each cause's precedents.

It is evidence like any other and no proof: it knows no order, no negation and no subject, and a cause of which the
library holds nothing alike looks like its neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..evidence import Evidence, Severity, Source
from ..evidence.probe import ProbeAnswer
from .library import FOLDER, Precedent, precedents_in
from .model import Model
from .wording import grams, shape

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, Any]

UNDECIDED = "insufficient"
LABELS_OF_NO_CAUSE = (UNDECIDED, "healthy")
AGAINST = -2.0  # bits: that a cause's words are not there speaks against it four to one at most
# of the precedents fewer than one in a thousand have more than 49 lines: what is longer is not judged by all of its
# wording
FEW = 60  # lines of different shapes
LOOKED_AT = 5000  # lines, of all files together
MOST = 200  # grave lines
ALIKE = 0.1  # cosine below which a precedent is not alike


@dataclass(frozen=True)
class Likeness:
    """What an incident's words say: `bits` by cause, for it (positive) or against, over an undecided incident.

    Empty where nothing was read or none of its words is known.
    """

    bits: dict[str, float]
    _model: Model | None = field(default=None, repr=False)
    _lines: Sequence[Source] = field(default=(), repr=False)
    _added: Callable[[int], Floats] | None = field(default=None, repr=False)

    def telling(self, cause: str, most: int = 4) -> list[Source]:
        """The lines that say most for a cause over an undecided incident, in reading order."""
        if self._model is None or self._added is None or cause not in self.bits:
            return []
        label = self._model.labels.index
        added = self._added(label(cause)) - self._added(label(UNDECIDED))
        best = sorted(range(len(self._lines)), key=lambda place: -added[place])[:most]
        return [self._lines[place] for place in sorted(best) if added[place] > 0 and self._lines[place].line]

    def alike(self, cause: str, most: int = 3) -> list[str]:
        """The public threads of the precedents of a cause that share most words with the incident, the likest first."""
        if self._model is None:
            return []
        mine = _weights(self._model, _texts(self._model, self._lines))
        near: dict[str, float] = {}
        for each in _of_public_threads(cause):
            shared = sum(weight * mine.get(gram, 0.0) for gram, weight in _weights(self._model, each.lines).items())
            near[each.thread] = max(shared, near.get(each.thread, 0.0))
        return [each for each in sorted(near, key=lambda each: -near[each]) if near[each] >= ALIKE][:most]


NO_WORDS = Likeness({})


@cache
def _shipped() -> Model:
    return Model.load()


def compare(lines: Sequence[Source], model: Model | None = None) -> Likeness:
    """What the words of these lines say, by the shipped model or another.

    A source of line 0 stands for the name of its file. The odds that the model gives to a label are divided by the
    label's share of the library, which makes likelihood ratios of them.
    """
    import numpy as np

    if not lines:
        return NO_WORDS
    model = model or _shipped()
    texts = _texts(model, lines)
    if not any(gram in model.place for text in texts for gram in grams(text)):
        return NO_WORDS
    scores, added = model.of_lines(texts)
    logarithms = (scores * model.temperature - np.log(model.share)) / math.log(2)
    said = dict(zip(model.labels, logarithms.tolist(), strict=True))
    base = max(said[label] for label in LABELS_OF_NO_CAUSE if label in said)
    bits = {label: max(AGAINST, value - base) for label, value in said.items() if label not in LABELS_OF_NO_CAUSE}
    return Likeness(bits, model, lines, added)


def wording(
    texts: Mapping[str, Sequence[Source] | None], evidence: Sequence[Evidence], set_aside: Sequence[Evidence] = ()
) -> list[Source]:
    """The lines that an incident is compared with precedents by, below the names of their files (line 0).

    `texts` are the lines of each file, None where they are too many to be kept. Of lines of one shape the first counts.
    All of them where they are few, as in a precedent; else those that are graver than information: the thousand
    ordinary lines of a collected pod look like each other whatever broke. The answers of this program's own probes are
    nobody's wording: they look like each other, too, and say that a machine has no GPU in the words of a job. Nor are
    the lines of facts that were set aside as another incident's.
    """
    if not texts:
        return []
    of_probes = (each for each in evidence if isinstance(each, ProbeAnswer))
    left_out = {(each.source.file, each.source.line) for each in (*of_probes, *set_aside)}
    kept = (text for text in texts.values() if text is not None)
    known = [[line for line in text if (line.file, line.line) not in left_out] for text in kept]
    many = len(known) < len(texts) or sum(map(len, known)) > LOOKED_AT
    everything = () if many else (line for text in known for line in text)
    lines = list(islice(_of_different_shapes(everything), FEW + 1))
    if many or len(lines) > FEW:
        told = (each.source for each in evidence if each.severity is not Severity.INFO and each.source.line)
        grave = (source for source in told if (source.file, source.line) not in left_out)
        lines = list(islice(_of_different_shapes(grave), MOST))
    return [*(Source(file, 0, "") for file in dict.fromkeys(each.file for each in lines)), *lines]


def _of_different_shapes(lines: Iterable[Source]) -> Iterator[Source]:
    seen = set()
    for each in lines:
        key = (each.file, shape(each.quote))
        if key not in seen:
            seen.add(key)
            yield each


def _texts(model: Model, lines: Sequence[Source]) -> list[str]:
    return [each.quote if each.line else model.named(each.file) for each in lines]


def _weights(model: Model, lines: Iterable[str]) -> dict[str, float]:
    """The weight of each run of characters that the model knows, scaled to length 1."""
    there = {gram: float(model.idf[model.place[gram]]) for line in lines for gram in grams(line) if gram in model.place}
    length = math.sqrt(sum(weight**2 for weight in there.values())) or 1.0
    return {gram: weight / length for gram, weight in there.items()}


@cache
def _of_public_threads(cause: str) -> list[Precedent]:
    file = FOLDER / f"{cause}.txt"
    try:
        return [each for each in precedents_in(file) if each.is_public]
    except (OSError, ValueError):
        return []  # they are only to compare with
