"""One place of the program keeps ever more memory, by snapshots of its heap: what was allocated there grows from
snapshot to snapshot, to half as much again at least and by 100 MiB or more.

The place is a line, an address or a function, as tracemalloc and heap profilers name it; of a table of other things,
the file is called after the heap. Three snapshots tell by themselves; two do where something was killed for memory or
where a measurement of the process or the machine grows.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import OomKill
from ..evidence.storage import SizeSeen
from ..incident import Incident
from ._registry import findings_of
from ._symptom import Finding, Symptom

GROWTH, LEAST, SNAPSHOTS = 1.5, 100 << 20, 3
# 0x506437     collate.py:88     src/pool.cc:211     std::vector<Frame>::push_back
PLACE = re.compile(r"0x[0-9a-f]{4,16}$|\.(?:py|pyx|cc?|cpp|cxx|cu|h|hpp|rs|go|java):\d{1,7}$|^\w{1,60}(?:::\w)", re.I)
HEAP = re.compile(
    r"(?:^|[/_.-])(?:heap|alloc(?:s|ations?)?|tracemalloc|memray|jeprof|pprof|heaptrack|massif)(?=[_.-]|$)", re.I
)
OF_A_GPU = re.compile(r"gpu|cuda|vram|hbm|device", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    places: dict[tuple[str, str], list[SizeSeen]] = defaultdict(list)
    for row in incident.of(SizeSeen):
        if (PLACE.search(row.name) or HEAP.search(row.source.file)) and not OF_A_GPU.search(row.source.file):
            places[row.source.file, row.name].append(row)
    short = bool(incident.of(OomKill)) or any(finding.present for finding in findings_of(incident, "memory-grows"))
    for (_, name), rows in places.items():
        if len(rows) < SNAPSHOTS and not short:
            continue
        sizes = [row.size for row in rows]
        rises = len(sizes) > 1 and all(later > earlier for earlier, later in itertools.pairwise(sizes))
        if rises and sizes[-1] >= GROWTH * sizes[0] and sizes[-1] - sizes[0] >= LEAST:
            note = f"what {name} holds grew from {sizes[0] / 2**30:.2f} to {sizes[-1] / 2**30:.2f} GiB"
            yield Finding(Subject(), tuple(rows), note)


SYMPTOM = Symptom(
    title="one place of the program keeps ever more memory",
    rule=rule,
    leak=0.0005,
    because="what a program needs at each step it lets go before the next; a cache that fills looks like it at first",
    command="python -X tracemalloc train.py; memray attach JOB_PID; jeprof --base=first.heap last.heap",
    cost_minutes=30,
)
