"""The main thread of a trainer waits for its helpers: a loader's workers, a prefetch thread, a pool or an executor.

By its Python stack, or by that of the thread in which a main thread that only serves calls has the training run.
ABSENT where main threads' stacks were taken and each computes or is in a wait that is known by its name, of another
kind; a child is mostly a helper itself, an event or a queue may be a helper's, and whoever waits for a process to end
is a launcher or waits for a helper.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.process import PythonStack
from ..incident import Incident
from ._symptom import Finding, Symptom
from ._waits import (
    is_child,
    main_stacks,
    name_of,
    tells_its_wait,
    waits_for_an_end,
    waits_for_helpers,
    waits_for_loader,
    waits_for_thread,
)


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
        elif not is_child(stack) and not waits_for_an_end(stack):
            elsewhere.append(stack)
    for stack in elsewhere if not found else ():
        pid = stack.subject.pid
        process = incident.links.process_of(stack)
        trains = [each for each in process.stacks if each.thread != stack.thread] if process else []
        for other in (each for each in trains if waits_for_loader(each) and _iterates(each)):
            found = True
            yield Finding(Subject(pid=pid), (other,), f"{other.thread} of {pid} waits for its loader")
    known = all(tells_its_wait(stack) and not waits_for_thread(stack) for stack in elsewhere)
    if elsewhere and not found and known:
        yield Finding(Subject(), tuple(elsewhere), "no main thread waits for helpers", present=False)


def _iterates(stack: PythonStack) -> bool:
    """True where a loop over a loader is on the stack, not one of the loader's own threads."""
    return any(name_of(frame) == "__next__" for frame in stack.frames)


SYMPTOM = Symptom(
    title="the main thread waits for its loader or pool",
    rule=rule,
    leak=0.04,
    because="a stack taken by chance from a healthy run shows compute far more often than this wait",
    command="py-spy dump --nonblocking --pid JOB_PID",
    cost_minutes=1,
    may_pass=True,
)
