"""One rank waits in a collective below a call that the script makes on that rank alone.

The script shows a call below a test of the rank, and the stack of one rank passes through that call into a
collective, while no other rank's does.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.job import SettingSeen
from ..evidence.process import PythonStack
from ..incident import Incident
from . import Finding, Symptom
from ._ranks import positions


def rule(incident: Incident) -> Iterator[Finding]:
    guarded = [each for each in incident.of(SettingSeen) if each.name == "called on one rank"]
    seen = (
        [(position, position.fact) for position in positions(incident) if isinstance(position.fact, PythonStack)]
        if guarded
        else []
    )
    for call in guarded if len(seen) > 1 else ():
        inside = [position for position, stack in seen if call.value in _names(stack)]
        if len(inside) == 1 and inside[0].waits_for_ranks:
            note = f"{inside[0].subject} waits in {inside[0].where} below {call.value}, which no other rank calls"
            yield Finding(inside[0].subject, (inside[0].fact, call), note)


def _names(stack: PythonStack) -> set[str]:
    return {frame.function.rpartition(".")[2] for frame in stack.frames}


SYMPTOM = Symptom(
    title="a collective below a call that one rank alone makes",
    rule=rule,
    leak=0.0003,
    because="what all ranks have to call cannot stand below a test of the rank",
    command="py-spy dump --nonblocking --pid PID on every rank; grep -n -A 5 -E 'rank *== *0|is_main_process' train.py",
)
