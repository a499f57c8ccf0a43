"""Compilers of kernels: which processes they are, and who waits for them."""

from __future__ import annotations

import re

from ..evidence.collective import CollectiveTimeout
from ..evidence.gpu import GpuStatus
from ..evidence.process import ProcessState, PythonStack
from ..evidence.supervisor import WatchdogFired
from ..incident import Incident
from ._waits import COLLECTIVE_FILES, compiles, in_collective, main_stacks, name_of

COMPILERS = re.compile(
    r"^(?:\S*python[\d.]* )?(?:\S*/)?(?:cc1plus|cc1|g\+\+|gcc|clang\S*|ptxas|nvcc|cicc|cudafe\+\+|ninja|as|ld|hipcc"
    "|lld|nvlink|neuronx?-cc|walrus_driver)(?: |$)"
)
POOL = "torch/_inductor/compile_worker"
CHILD_WAITS = ("communicate", "wait", "_wait", "_communicate", "check_output", "run", "poll", "select")
SPINS_PERCENT = 95.0
WAITS_FOR_DEVICE = frozenset("synchronize _init_handles load_binary _load_kernel cuModuleLoadData".split())


def compilers(incident: Incident) -> list[ProcessState]:
    """The compilers in the process table; inductor's pool only where one of it is on a CPU."""
    return [
        row
        for row in incident.of(ProcessState)
        if COMPILERS.search(row.command or row.subject.comm or "")
        or COMPILERS.search(row.subject.comm or "")
        or (POOL in row.command and row.state == "R")
    ]


def waits_for_child(stack: PythonStack) -> bool:
    """True where the innermost frame waits for a process that it started."""
    return any(name_of(frame) in CHILD_WAITS and "subprocess" in (frame.file or "") for frame in stack.frames[:1])


def waits_for_ranks(stack: PythonStack) -> bool:
    """True where a compiler's stack ends in a wait for the GPU, in loading code onto it, or in a call to other
    ranks.
    """
    return name_of(stack.frames[0]) in WAITS_FOR_DEVICE or _calls_ranks(stack)


def _calls_ranks(stack: PythonStack) -> bool:
    return any(part in (stack.frames[0].file or "") for part in COLLECTIVE_FILES)


def stands_with_others(incident: Incident, stack: PythonStack) -> bool:
    """True where another process's main thread waits in a collective, in a job that somebody gave up or whose GPUs all
    spin.
    """
    if not others_in_collective(incident, stack):
        return False
    if _calls_ranks(stack):
        return True  # of the compiler's own, which the other rank has not entered
    used = [status.utilisation_percent for status in incident.of(GpuStatus) if status.utilisation_percent is not None]
    return bool(incident.of(CollectiveTimeout, WatchdogFired)) or (len(used) > 1 and min(used) >= SPINS_PERCENT)


def others_in_collective(incident: Incident, stack: PythonStack) -> bool:
    """True where the main thread of another process waits in a collective or for its result."""
    key_of = incident.links.key_of
    others = [each for each in main_stacks(incident) if key_of(each) != key_of(stack) and each.frames]
    return any(
        not compiles(each) and (in_collective(each) or name_of(each.frames[0]) in ("wait_tensor", "wait"))
        for each in others
    )
