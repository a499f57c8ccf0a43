"""A process of the job may run on one or two CPUs only, although a loader or several threads share them.

An affinity that a launcher, a scheduler or a library set: `taskset`, `Cpus_allowed_list`. Three processes or more
that are each bound to a CPU of its own were pinned on purpose. ABSENT where eight and more are allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..evidence.job import SettingSeen
from ..incident import Incident
from ..text import whole_number
from ._cpus import CPUS_ENOUGH, FEW, SEVERAL, cpus_of
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    """Each process whose affinity was read."""
    seen = [
        (fact, count)
        for fact in incident.of(SettingSeen)
        if fact.name == "cpus allowed" and (count := whole_number(fact.value)) is not None
    ]
    bound = [fact for fact, count in seen if count <= FEW]
    if pinned_apart(bound):
        return
    for fact, count in seen:
        # the node's share tells nothing of a process that is bound to less
        freed = count >= CPUS_ENOUGH and not any(other.subject.agrees_with(fact.subject) for other in bound)
        if count <= FEW or freed:
            yield Finding(fact.subject, (fact,), f"it may run on {count} CPUs", present=count <= FEW)


def pinned_apart(bound: Sequence[SettingSeen]) -> bool:
    """True where several processes were each given CPUs of their own."""
    given = {fact.subject.pid: cpus_of(fact) for fact in bound if fact.subject.pid is not None}
    return len(given) >= SEVERAL and len(set(given.values())) == len(given)


SYMPTOM = Symptom(
    title="a process is bound to one or two CPUs",
    rule=rule,
    leak=0.004,
    because="ranks are pinned on purpose now and then, and their workers with them",
    tells_apart=("pid",),
    command="taskset -cp JOB_PID; grep Cpus_allowed_list /proc/JOB_PID/status",
)
