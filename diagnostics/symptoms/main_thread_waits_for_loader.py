"""The main thread of a trainer waits for its helpers: a loader's workers, a prefetch thread, a pool or an executor.

By its Python stack. ABSENT where main threads' stacks were taken and none waits there; a forked child is mostly a helper itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..incident import Incident
from . import Finding, Symptom
from ._waits import forked, main_stacks, waits_for_helpers


def rule(incident: Incident) -> Iterator[Finding]:
    """Each main thread that waits for data; else the ones that do not."""
    elsewhere = []
    found = False
    for stack in main_stacks(incident):
        if stack.crashed:
            continue
        if waits_for_helpers(stack):
            found = True
            yield Finding(
                Subject(pid=stack.subject.pid, rank=stack.subject.rank, host=stack.subject.host),
                (stack,),
                f"the main thread of {stack.subject.pid} waits for its helpers in {stack.frames[0].function}",
            )
        elif not forked(stack):
            elsewhere.append(stack)
    if elsewhere and not found:
        yield Finding(Subject(), tuple(elsewhere), "no main thread waits for helpers", present=False)


SYMPTOM = Symptom(
    title="the main thread waits for its loader or pool",
    rule=rule,
    leak=0.04,
    because="a stack taken by chance from a healthy run shows compute far more often than this wait",
    command="py-spy dump --nonblocking --pid PID",
    cost_minutes=1,
)
