"""What the ranks put into one collective has different sizes, by somebody's print of each, and they wait in it.

They wait where a collective timed out or was found to disagree, or where the stacks of all ranks end in one and the
same collective. Batches and what is computed of them differ between ranks by design: only a print that names a call,
its buffer or its number of elements counts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Evidence, Subject
from ..evidence.collective import CollectiveMismatch, CollectiveTimeout
from ..evidence.job import SettingSeen
from ..incident import Incident
from ._odd_ones import grouped, listed, one_of_each
from ._ranks import positions
from ._symptom import Finding, Symptom

CALL = re.compile(
    r"reduce|gather|scatter|broadcast|all_?to_?all|\bnumel\b|bucket|buffer|\bsend|\brecv|collective", re.I
)


def rule(incident: Incident) -> Iterator[Finding]:
    sizes: dict[str, dict[int, SettingSeen]] = defaultdict(dict)
    for setting in incident.of(SettingSeen):
        if setting.name.startswith("size of ") and setting.subject.rank is not None:
            sizes[setting.name.removeprefix("size of ")].setdefault(setting.subject.rank, setting)
    waits = _waits(incident)
    for name, by_rank in sizes.items():
        if waits and CALL.search(name) and len({each.value for each in by_rank.values()}) > 1:
            groups = grouped((each.value, each) for each in by_rank.values())
            yield Finding(Subject(), (*one_of_each(groups), waits[0]), f"{name}: {listed(groups, 'with')}")


def _waits(incident: Incident) -> list[Evidence]:
    told: list[Evidence] = [*incident.of(CollectiveTimeout, CollectiveMismatch)]
    seen = positions(incident)
    together = len({position.where for position in seen}) == 1 and all(position.in_collective for position in seen)
    return told or ([position.fact for position in seen] if together else [])


SYMPTOM = Symptom(
    title="ranks put different sizes into one collective",
    rule=rule,
    leak=0.0004,
    because="a collective takes the same size from every rank, but for the few that are made for different ones",
    command="print(rank, tensor.shape) before the call; TORCH_DISTRIBUTED_DEBUG=DETAIL torchrun ...",
)
