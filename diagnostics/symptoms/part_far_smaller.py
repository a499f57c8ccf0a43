"""One part of a set (`model-00003-of-00006.safetensors`, the shards of the ranks) is less than half as large as the
others, which are about equal.

The last part does not count, nor, where names do not say how many there are, the first: those hold what is left, or
what no other has. ABSENT where three parts or more beside the last are about equal.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..evidence import Subject
from ..evidence.storage import FileEntry
from ..incident import Incident
from ._checkpoints import PART
from ._places import place
from ._symptom import Finding, Symptom

HALF, ABOUT_EQUAL = 0.5, 0.8  # what is cut at a largest size lacks at most the next tensor
FEWEST = 2  # parts that are whole
OF = re.compile(r"(\d{1,6})-of-(\d{1,6})")  # model-00003-of-00006.safetensors


def rule(incident: Incident) -> Iterator[Finding]:
    last = {entry.subject.path: entry for entry in incident.of(FileEntry) if entry.subject.path and entry.size}
    sets: dict[tuple[str, str], list[FileEntry]] = defaultdict(list)
    for path, entry in last.items():
        folder, _, name = path.rpartition("/")
        if PART.search(name):
            sets[folder, re.sub(r"\d+", "#", name)].append(entry)
    for parts in sets.values():
        inner = _inner(parts)
        usual = max((entry.size or 0 for entry in inner), default=0)
        low = [entry for entry in inner if (entry.size or 0) < HALF * usual]
        equal = [entry for entry in inner if (entry.size or 0) >= ABOUT_EQUAL * usual]
        if len(low) == 1 and len(equal) == len(inner) - 1 >= FEWEST:
            note = f"{low[0].subject.path} has {low[0].size:,} bytes, those beside it {usual:,}"
            yield Finding(place(incident, low[0].subject.path, low[0]), (low[0], *equal[:2]), note)
        elif len(equal) == len(inner) > FEWEST:
            yield Finding(Subject(), tuple(inner[:4]), "the parts are about equal", present=False)


def _inner(parts: Sequence[FileEntry]) -> list[FileEntry]:
    """The parts whose place in the set does not explain another size."""
    names = [(entry.subject.path or "").rpartition("/")[2] for entry in parts]
    numbered = [(int(found[1]), int(found[2])) for name in names if (found := OF.search(name))]
    if numbered:
        last = max(total for _, total in numbered) - any(number == 0 for number, _ in numbered)
        ends = [number >= last for number, _ in numbered]
    else:
        places = [[int(each) for each in re.findall(r"\d{1,12}", name)] for name in names]
        ends = [each in (min(places), max(places)) for each in places]
    return [entry for entry, end in zip(parts, ends, strict=True) if not end]


SYMPTOM = Symptom(
    title="one part of a set is far smaller than its equals",
    rule=rule,
    leak=0.0005,
    because="a set is cut into parts of one size; a very large tensor leaves the part before it half empty",
    tells_apart=("mount",),
    command="ls -l PARTS; compare with the sizes at their source",
)
