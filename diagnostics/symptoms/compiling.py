"""A compiler of kernels is at work: compiler processes below the trainer, a stack inside torch.compile, inductor or
Triton that is on a CPU or waits for a compiler's process, or a log that says so and shows its end.

ABSENT where the main thread's stack was taken and no compiler is on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import Phase
from ..evidence.process import ProcessState
from ..incident import Incident
from . import Finding, Symptom
from ._errors import matching
from ._waits import compiles, main_stacks, name_of

COMPILERS = re.compile(
    r"^(?:cc1plus|cc1|g\+\+|gcc|clang\S*|ptxas|nvcc|cicc|cudafe\+\+|ninja|as|ld|hipcc|lld|nvlink)$|/(?:cc1plus|ptxas|nvcc|cicc|g\+\+|ninja|hipcc)(?: |$)|torch/_inductor/compile_worker"
)
SLOW = re.compile(
    r"compile-worker future for|COMPILE_WORKER_WAIT_TIMEOUT|compil\w{1,8} (?:did not complete|took longer|timed out)|recompile_limit|cache_size_limit|register spill",
    re.I,
)
CHILD_WAITS = ("communicate", "wait", "_wait", "_communicate", "check_output", "run", "poll", "select")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each sign of a compiler at work."""
    found = False
    elsewhere = []
    compilers = [
        row for row in incident.of(ProcessState) if COMPILERS.search(row.subject.comm or row.command.split(" ")[0])
    ]
    for row in compilers:
        found = True
        yield Finding(Subject(), (row,), f"{row.subject.comm or row.command[:40]} is running")
    for stack in main_stacks(incident):
        if not compiles(stack):
            elsewhere.append(stack)
        elif (
            stack.active
            or compilers
            or (
                stack.frames
                and name_of(stack.frames[0]) in CHILD_WAITS
                and "subprocess" in (stack.frames[0].file or "")
            )
        ):
            found = True
            yield Finding(Subject(), (stack,), f"the main thread compiles: {stack.frames[0].function}")
    for said in matching(incident, SLOW):
        found = True
        yield Finding(Subject(), (said.fact,), said.text.splitlines()[0][:160])
    ends = [phase for phase in incident.of(Phase) if phase.phase == "compile" and phase.edge == "end"]
    for phase in ends[:5]:
        found = True
        yield Finding(Subject(), (phase,), phase.text[:160])
    if elsewhere and not found:
        yield Finding(Subject(), tuple(elsewhere), "no main thread compiles", present=False)


SYMPTOM = Symptom(
    title="a compiler is at work",
    rule=rule,
    leak=0.01,
    because="compilation takes a small part of a run; caught in the act it is usually what one waits for",
    command="ps -ef --forest | grep -E 'cc1plus|ptxas|nvcc|compile_worker'; py-spy dump --nonblocking --pid PID",
    cost_minutes=1,
)
