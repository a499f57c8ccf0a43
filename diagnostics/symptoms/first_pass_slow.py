"""The first pass over the data took several times as long as each of the following ones.

By the epochs' own times: at least three times the median of the rest, which agree among themselves, and two minutes
more. What is read once lies in the page cache afterwards, and what is compiled once is compiled. ABSENT where three
epochs or more took equally long.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from ..evidence import Subject
from ..evidence.training import EpochTime
from ..incident import Incident
from ._symptom import Finding, Symptom

TIMES, MORE_S, ALIKE = 3.0, 120.0, 1.5


def rule(incident: Incident) -> Iterator[Finding]:
    files: dict[tuple[str, int | None], list[EpochTime]] = {}
    for fact in incident.of(EpochTime):
        files.setdefault((fact.source.file, fact.subject.rank), []).append(fact)
    for epochs in files.values():
        first, rest = epochs[0], [each.seconds for each in epochs[1:]]
        if len(rest) < 2 or first.epoch > 1 or max(rest) > ALIKE * min(rest):
            continue
        usual = median(rest)
        if first.seconds >= max(TIMES * usual, usual + MORE_S):
            note = f"the first epoch took {first.seconds:.0f} s, the following ones {usual:.0f} s each"
            yield Finding(first.subject, tuple(epochs[:3]), note)
        elif first.seconds <= ALIKE * usual:
            yield Finding(Subject(), tuple(epochs[:3]), "the first epoch is as long as the others", present=False)


SYMPTOM = Symptom(
    title="the first pass over the data is several times slower than the following ones",
    rule=rule,
    leak=0.01,
    because="a first epoch warms up caches, compilers and autotuners, which seldom takes minutes",
    command="iostat -x 5 3; free -g; grep -i epoch train.log",
)
