"""Three processes or more may run on the same one or two CPUs, and on no others.

They are more than the CPUs that they share; ranks that somebody pinned apart have CPUs of their own. ABSENT where
three processes or more were asked and each may run on eight CPUs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import SettingSeen
from ..incident import Incident
from ..text import whole_number
from ._cpus import CPUS_ENOUGH, FEW, SEVERAL, cpus_of
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    """Processes whose affinities are alike."""
    asked: dict[tuple[str, int], SettingSeen] = {}  # by file: every pod has a pid 1
    for fact in incident.of(SettingSeen):
        if fact.name == "cpus allowed" and whole_number(fact.value) is not None and fact.subject.pid is not None:
            asked[fact.source.file, fact.subject.pid] = fact
    if len(asked) < SEVERAL:
        return
    alike: dict[tuple[str, str], list[SettingSeen]] = defaultdict(list)
    for fact in asked.values():
        if int(fact.value) <= FEW:
            alike[fact.source.file, cpus_of(fact)].append(fact)
    for facts in alike.values():
        if len(facts) >= SEVERAL and len(facts) > int(facts[0].value):
            note = f"{len(facts)} processes may run on CPU {cpus_of(facts[0])} only"
            yield Finding(Subject(host=facts[0].subject.host), tuple(facts), note)
    if all(int(fact.value) >= CPUS_ENOUGH for fact in asked.values()):
        yield Finding(Subject(), tuple(asked.values()), "each process may run on many CPUs", present=False)


SYMPTOM = Symptom(
    title="several processes are bound to the same CPU",
    rule=rule,
    leak=0.0005,
    because="who pins processes on purpose pins them apart",
    tells_apart=("host",),
    command="for p in $(pgrep -f train.py); do taskset -cp $p; done",
)
