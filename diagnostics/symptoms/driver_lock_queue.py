"""Programs queue for a lock of the GPU driver: two or more processes wait in D for it, one of which is minutes old.

The lock stands in the process table's WCHAN or in the kernel's stack of the process (os_acquire_mutex,
os_acquire_rwlock_write, uvm_va_space_...). A GPU's processor that does not answer is given up after a minute, and then
the queue goes on.

Or, where nobody wrote down what they wait for, a tool that only asks the driver waits with another program while one
that was killed cannot end; or two such tools wait while a monitor of the GPUs, which asks the driver now and then, has
used a whole CPU for minutes; or one tool that asks once and ends has waited for five minutes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..evidence import Evidence, Subject
from ..evidence.process import ProcessState, ThreadState
from ..incident import Incident
from ..machines import by_machine
from ._gpu_driver import FEWEST, GPU_TOOLS, LONG_S
from ._jobs import is_of_the_job
from ._symptom import Finding, Symptom

LOCK = re.compile(r"^(?:os_acq\w{0,24}|uvm_va_space_\w{1,24}|nv_\w{1,30}|nvidia\w{0,20}|rm_\w{1,30})")
# nvidia-device-plugin     dcgm-exporter     nv-hostengine: asleep nearly all the time, where the driver answers
MONITORS = re.compile(
    r"^(?:nvidia-device-p|k8s-device-plug|gpu-feature-dis|dcgm-exporter|nv-hostengine|nvidia-persiste|nvitop|gpustat)"
)
SPINS_PERCENT = 90.0
# they ask and end, so that they are as old as their wait, unless they are to ask again and again
ASK_ONCE = ("nvidia-smi", "dcgmi")
LOOPS = re.compile(r" (?:-l|--loop\S{0,4}|-lms|dmon|pmon|daemon|stats)\b")


def rule(incident: Incident) -> Iterator[Finding]:
    """Queues on one machine: each has a driver of its own."""
    for seen in by_machine([*incident.of(ThreadState), *incident.of(ProcessState)]):
        rows = [fact for fact in seen if isinstance(fact, ProcessState)]
        yield from _at_the_lock([fact for fact in seen if isinstance(fact, ThreadState)], rows)
        named = [row for row in rows if row.subject.pid is not None]
        yield from _behind_a_dead_program(named)
        yield from _behind_a_spinning_monitor(named)
        yield from _for_minutes(named)


def _at_the_lock(threads: Sequence[ThreadState], rows: Sequence[ProcessState]) -> Iterator[Finding]:
    """Processes that wait for the driver's lock, one of them for long."""
    waiting: dict[int | None, Evidence] = {}
    longest = 0.0
    for thread in threads:
        if thread.state in ("D", None) and any(LOCK.search(frame) for frame in thread.frames[:2]):
            waiting[thread.subject.pid] = thread
    for row in rows:
        if row.state == "D" and (LOCK.search(row.wchan or "") or row.subject.pid in waiting):
            waiting[row.subject.pid] = row
            longest = max(longest, row.elapsed_s or 0.0)
    if len(waiting) >= FEWEST and longest >= LONG_S:
        note = f"{len(waiting)} processes wait for the driver, one of them {longest / 60:.0f} minutes old"
        yield Finding(Subject(), tuple(waiting.values())[:8], note)


def _behind_a_dead_program(rows: Sequence[ProcessState]) -> Iterator[Finding]:
    """A tool of the driver and another program in D, while a program that was killed cannot end."""
    dead = [row for row in rows if row.state == "Z" and row.parent_pid == 1 and is_of_the_job(row)]
    stuck = [row for row in rows if row.state == "D"]
    tools = [row for row in stuck if row.subject.comm in GPU_TOOLS]
    others = [row for row in stuck if row.subject.comm not in GPU_TOOLS and is_of_the_job(row)]
    if dead and tools and others:
        note = f"{len(stuck)} programs wait beside {dead[0].subject.pid}, which is defunct and still there"
        yield Finding(Subject(), (dead[0], tools[0], others[0]), note)


def _behind_a_spinning_monitor(rows: Sequence[ProcessState]) -> Iterator[Finding]:
    """Two tools of the driver or more in D beside a monitor that runs without a rest."""
    tools = {row.subject.pid: row for row in rows if row.state == "D" and row.subject.comm in GPU_TOOLS}
    for row in rows if len(tools) >= FEWEST else ():
        spins = row.state == "R" and (row.cpu_percent or 0.0) >= SPINS_PERCENT and (row.cpu_s or 0.0) >= LONG_S
        if spins and MONITORS.match(row.subject.comm or ""):
            note = (
                f"{len(tools)} tools wait while {row.subject.comm} has spun for {(row.cpu_s or 0.0) / 60:.0f} minutes"
            )
            yield Finding(Subject(), (row, *tools.values())[:8], note)


def _for_minutes(rows: Sequence[ProcessState]) -> Iterator[Finding]:
    """A tool of the driver that has been in D for longer than the driver waits for any device, and in the driver as far
    as anybody can tell.
    """
    for row in rows:
        asks_once = row.subject.comm in ASK_ONCE and not LOOPS.search(row.command)
        elsewhere = row.wchan is not None and not LOCK.search(row.wchan)
        if row.state == "D" and asks_once and not elsewhere and (row.elapsed_s or 0.0) >= LONG_S:
            note = f"{row.subject.comm} has waited for the driver for {(row.elapsed_s or 0.0) / 60:.0f} minutes"
            yield Finding(Subject(), (row,), note)


SYMPTOM = Symptom(
    title="programs queue for a lock of the GPU driver",
    rule=rule,
    leak=0.002,
    because="the driver holds its locks for milliseconds; one look may meet two programs that start",
    tells_apart=("host",),
    command="ps -eo pid,stat,wchan:32,etime,comm | awk '$2 ~ /D/'",
)
