"""Most ranks wait for each other and a few are somewhere else: they are the ones to look at.

Ranks are grouped by what their main threads wait in. Present when at least one waits in a collective, the ones that
do not wait for anybody are fewer than the others (or one of two), and their position is named. ABSENT where the stacks
of several ranks were read and all of them wait for each other. A rank that computes counts only once a collective
has timed out.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.collective import CollectiveTimeout
from ..evidence.process import PythonStack
from ..incident import Incident
from ._ranks import STOPPED, Position, positions
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    seen = positions(incident)
    waiting = [position for position in seen if position.waits_for_ranks]
    elsewhere = [position for position in seen if not position.waits_for_ranks]
    if len(seen) < 2 or not any(position.in_collective for position in waiting):
        return
    timed_out = bool(incident.of(CollectiveTimeout))
    elsewhere = [position for position in elsewhere if timed_out or not _computes(position)]
    if elsewhere and (len(elsewhere) < len(waiting) or len(seen) == 2):
        for position in elsewhere:
            at = position.where if position.where == STOPPED else f"in {position.where}"
            note = f"{len(waiting)} ranks wait for the others; {position.subject} is {at}"
            yield Finding(position.subject, (position.fact, *(each.fact for each in waiting[:3])), note)
    elif len(waiting) == len(seen):
        facts = tuple(position.fact for position in seen)
        yield Finding(seen[0].subject, facts, f"all {len(seen)} ranks wait in collectives", present=False)


def _computes(position: Position) -> bool:
    """True for a rank that was on a processor: in a run that nothing stopped it is merely a moment behind."""
    active = isinstance(position.fact, PythonStack) and position.fact.active is True
    return active and position.where not in ("loader", STOPPED)


SYMPTOM = Symptom(
    title="the ranks wait for a few that are somewhere else",
    rule=rule,
    leak=0.05,
    because="whatever holds one rank up looks like this from outside",
    command="for p in $(pgrep -f train.py); do py-spy dump --nonblocking --pid $p; done",
    cost_minutes=2,
)
