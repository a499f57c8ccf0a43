"""Work that is fast on one node is several times slower, or hangs, on more.

From a table of trials or a scaling benchmark. ABSENT where trials on one and on more nodes went equally well.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import Trial
from ..incident import Incident
from . import Finding, Symptom

BAD = ("slow", "hang", "fail")


def rule(incident: Incident) -> Iterator[Finding]:
    trials = [trial for trial in incident.of(Trial) if trial.nodes is not None]
    alone = [trial for trial in trials if trial.nodes == 1]
    together = [trial for trial in trials if (trial.nodes or 0) > 1]
    if not together or not alone or any(trial.outcome in BAD for trial in alone):
        return
    worse = [trial for trial in together if trial.outcome in BAD]
    if worse:
        note = "; ".join(f"{trial.condition}: {trial.text}" for trial in (*alone[:1], *worse[:2]))
        yield Finding(Subject(), (*alone, *worse), note)
    else:
        yield Finding(Subject(), tuple(trials), "it goes as well on several nodes as on one", present=False)


SYMPTOM = Symptom(
    title="it works on one node and not across nodes",
    rule=rule,
    leak=0.03,
    because="scaling has other reasons to disappoint, and they are rarely this large",
    command="mpirun -N 8 all_reduce_perf -b 1G -e 8G -f 2, on one node and on two",
    cost_minutes=20,
)
