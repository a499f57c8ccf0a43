"""What was learned of the precedents' words: a linear score a label, as plain arrays (see `scripts/precedents.py`)."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BrokenInstallation
from .wording import grams, shape

if TYPE_CHECKING:
    import numpy as np

    Floats = np.ndarray[Any, Any]

MODEL = Path(__file__).parent / "model.npz"
BROKEN = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)


@dataclass(frozen=True)
class Model:
    """What was learned.

    `place` numbers the runs of characters, `names` are the shapes of the artefacts' names that count, `weight` (grams,
    labels), `idf` (grams,), `bias` (labels,), `share` (labels,) of the library's precedents; `temperature` makes
    natural logarithms of odds of the scores, and `digest` names the library.
    """

    labels: tuple[str, ...]
    place: dict[str, int] = field(repr=False)
    names: frozenset[str] = field(repr=False)
    idf: Floats = field(repr=False)
    weight: Floats = field(repr=False)
    bias: Floats = field(repr=False)
    share: Floats = field(repr=False)
    temperature: float
    digest: str

    def named(self, artefact: str) -> str:
        """What an artefact's name adds to its lines: itself where precedents have it, else nothing."""
        name = artefact.rpartition("/")[2]
        return name if shape(name) in self.names else ""

    def scores(self, lines: Iterable[str]) -> Floats:
        """The score of each label, in margins of its machine."""
        return self.of_lines(lines)[0]

    def of_lines(self, lines: Iterable[str]) -> tuple[Floats, Callable[[int], Floats]]:
        """The score of each label, and what gives for one of them what each line adds to it.

        What several lines hold is shared out among them.
        """
        import numpy as np

        held = [sorted({self.place[gram] for gram in grams(line) if gram in self.place}) for line in lines]
        row = np.repeat(np.arange(len(held)), np.array([len(each) for each in held], dtype=int))
        column = np.array([place for each in held for place in each], dtype=int)
        times = np.bincount(column, minlength=len(self.idf))
        there = np.flatnonzero(times)
        value = self.idf[there].astype(float)
        value /= np.sqrt((value**2).sum()) or 1.0
        share = np.zeros(len(self.idf))
        share[there] = value / times[there]

        def added(label: int) -> Floats:
            return np.bincount(row, self.weight[column, label] * share[column], minlength=len(held))

        return value @ self.weight[there].astype(float) + self.bias, added

    def save(self, file: Path) -> None:
        """Write it as plain arrays."""
        import numpy as np

        np.savez_compressed(
            file,
            labels=np.array(self.labels),
            grams=np.frombuffer("\n".join(self.place).encode(), dtype=np.uint8),
            names=np.frombuffer("\n".join(sorted(self.names)).encode(), dtype=np.uint8),
            idf=self.idf,
            weight=self.weight,
            bias=self.bias,
            share=self.share,
            temperature=self.temperature,
            digest=np.array(self.digest),
        )

    @staticmethod
    def load(file: Path = MODEL) -> Model:
        """Read it; nothing in the file is executed. Raises BrokenInstallation for a file that is cut or altered."""
        import numpy as np

        try:
            with file.open("rb") as data, np.load(data, allow_pickle=False) as stored:
                return Model(
                    tuple(map(str, stored["labels"])),
                    {gram: place for place, gram in enumerate(stored["grams"].tobytes().decode().split("\n"))},
                    frozenset(stored["names"].tobytes().decode().split("\n")),
                    stored["idf"],
                    stored["weight"],
                    stored["bias"],
                    stored["share"],
                    float(stored["temperature"]),
                    str(stored["digest"]),
                )
        except BROKEN as error:
            raise BrokenInstallation(
                f"{file.name} of this package cannot be read ({error})", "install the package again"
            ) from error
