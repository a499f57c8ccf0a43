"""Work that goes through on one node hangs or fails on several.

From a table of trials. ABSENT where trials on one and on more nodes went equally well.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..incident import Incident
from ._symptom import Finding, Symptom
from ._trials import across_nodes


def rule(incident: Incident) -> Iterator[Finding]:
    alone, together = across_nodes(incident)
    worse = [trial for trial in together if trial.outcome in ("hang", "fail", "varies")]
    if worse:
        note = "; ".join(f"{trial.condition}: {trial.text}" for trial in (*alone[:1], *worse[:2]))
        yield Finding(Subject(), (*alone, *worse), note)
    elif together and all(trial.outcome == "ok" for trial in together):
        yield Finding(Subject(), (*alone, *together), "it goes through on several nodes as on one", present=False)


SYMPTOM = Symptom(
    title="it works on one node and not across nodes",
    rule=rule,
    leak=0.02,
    because="larger jobs also meet bugs and limits that smaller ones do not",
    command="all_reduce_perf -b 1G -e 8G -f 2 on one node, on two, and on each pair",
    cost_minutes=20,
)
