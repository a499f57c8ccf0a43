"""Work that is fast on one node is more than twice as slow on several, and goes through.

From a table of trials. Where the same work on as many nodes is fast with its files in another place, the way to the
files is slow and not the way between the nodes. ABSENT where trials on one and on more nodes went equally well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.people import Trial
from ..incident import Incident
from ._symptom import Finding, Symptom
from ._trials import across_nodes, cured_elsewhere

FACTOR = re.compile(r"(\d+(?:\.\d+)?) ?x slower", re.I)
NOTICEABLE = 2.0  # losses below this are ordinary costs of communication


def rule(incident: Incident) -> Iterator[Finding]:
    alone, together = across_nodes(incident)
    together = [trial for trial in together if not cured_elsewhere(incident, trial)]
    slow = [trial for trial in together if trial.outcome == "slow" and _factor(trial) >= NOTICEABLE]
    if slow:
        note = "; ".join(f"{trial.condition}: {trial.text}" for trial in (*alone[:1], *slow[:2]))
        yield Finding(Subject(), (*alone, *slow), note)
    elif together and all(trial.outcome == "ok" for trial in together):
        yield Finding(Subject(), (*alone, *together), "it goes as well on several nodes as on one", present=False)


def _factor(trial: Trial) -> float:
    said = FACTOR.search(trial.text)
    return float(said[1]) if said else NOTICEABLE


SYMPTOM = Symptom(
    title="it is slow across nodes and fast on one",
    rule=rule,
    leak=0.01,
    because="scaling disappoints for other reasons too, rarely by a factor of two and more",
    command="all_reduce_perf -b 1G -e 8G -f 2 on one node and on two",
    cost_minutes=20,
)
