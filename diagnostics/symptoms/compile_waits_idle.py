"""The main thread is inside the compiler's code and waits, while no compiler is at work anywhere.

On a future, a lock or a pool's queue; no compiler process in the table, no CPU time used. ABSENT where compilers run.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.process import ProcessState
from ..incident import Incident
from . import Finding, Symptom
from ._waits import compiles, main_stacks, name_of
from .busy_while_silent import growing
from .compiling import CHILD_WAITS, COMPILERS

IDLE = frozenset("result wait acquire get select poll _wait_for_tstate_lock join __enter__ wait_futures".split())


def rule(incident: Incident) -> Iterator[Finding]:
    """Each main thread that waits inside the compiler."""
    rows = incident.of(ProcessState)
    at_work = [r for r in rows if COMPILERS.search(r.subject.comm or r.command.split(" ")[0]) and r.state == "R"]
    for stack in main_stacks(incident):
        if not compiles(stack) or not stack.frames:
            continue
        first = stack.frames[0]
        process = incident.links.processes.get(stack.subject.pid or -1)
        child = name_of(first) in CHILD_WAITS and "subprocess" in (first.file or "")
        if at_work or stack.active or child or (process and growing(process)):
            yield Finding(Subject(), (stack, *at_work[:2]), "the compiler is at work", present=False)
        elif name_of(first) in IDLE:
            yield Finding(
                Subject(pid=stack.subject.pid),
                (stack,),
                f"the main thread waits in {first.function} inside the compiler",
            )


SYMPTOM = Symptom(
    title="the compiler waits and nothing compiles",
    rule=rule,
    leak=0.001,
    because="a compiler that waits has somebody at work, unless it waits for itself",
    command="py-spy dump --nonblocking --pid PID; ps -ef --forest; ls -la $TORCHINDUCTOR_CACHE_DIR/locks",
    cost_minutes=2,
)
