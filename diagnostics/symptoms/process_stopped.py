"""A process of the job is stopped: state T (a signal) or t (a debugger), its kernel stack is in the kernel's own stop,
or its control group or container is frozen. So is what stands in a write to its terminal, whose output somebody has
stopped (Ctrl-S): a terminal takes what it is given at once.

Where the stacks of some processes were taken, those and their children are the job's. So is one, whatever its name,
that somebody looked at alone, twice or more, and whose CPU time stood still meanwhile; an editor or a pager is not.
ABSENT where the states of the job's processes were read and none is stopped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..evidence import Subject
from ..evidence.job import SettingSeen
from ..evidence.process import ProcessState, ThreadState
from ..filesystems import CLIENTS, DAEMONS
from ..incident import Incident
from ._jobs import BESIDE_IT, is_of_the_job
from ._symptom import Finding, Symptom

# where a stopped thread stands in the kernel
STOPS = ("do_signal_stop", "ptrace_stop", "do_freezer_trap", "__refrigerator", "do_jobctl_trap")
FREEZES = ("cgroup.freeze", "freezer.state", "frozen", "Paused")
FROZEN = ("1", "FROZEN", "FREEZING", "true")
# gdb -q -batch -p 4242      /usr/bin/strace -f -p 4242      lldb --attach-pid 4242
ATTACHED = re.compile(
    r"(?:/\S{0,200}/)?(gdb|lldb|strace|ltrace|cuda-gdb|rocgdb|py-spy|pystack)\b.{0,200}? "
    r"(?:-p|--pid|--attach-pid|-pid) ?=?(\d{1,10})\b"
)
CLIENT = re.compile(rf"(?:/\S{{0,200}}/)?(?:{'|'.join(map(re.escape, CLIENTS))})\b")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each stopped process; else the tables without one."""
    rows: list[ProcessState | ThreadState] = [*incident.of(ProcessState), *incident.of(ThreadState)]
    looked_at = {thread.subject.pid for thread in incident.of(ThreadState)}
    alone = watched_alone(incident)
    stopped = [
        row
        for row in rows
        if row.state in ("T", "t") and (row in alone or of_the_job(row)) and concerned(row, looked_at)
    ]
    for row in stopped:
        by = "by a signal" if row.state == "T" else _by_tracer(incident, row)
        yield Finding(
            Subject(pid=row.subject.pid, comm=row.subject.comm),
            (row,),
            f"{row.subject.comm or 'process'} {row.subject.pid or ''} is stopped {by}".replace("  ", " "),
        )
    halted = [row for row in incident.of(ThreadState) if row not in stopped and stands_still(row)]
    for row in halted:
        note = f"{row.subject.comm or 'process'} {row.subject.pid or ''} stands in {(row.frames or (row.wchan,))[0]}"
        yield Finding(Subject(pid=row.subject.pid, comm=row.subject.comm), (row,), note)
    written = [row for row in rows if row not in stopped and row.wchan == "n_tty_write" and not is_beside(row)]
    for row in written:
        note = f"{row.subject.comm or 'process'} {row.subject.pid or ''} stands in a write to its terminal"
        yield Finding(Subject(pid=row.subject.pid, comm=row.subject.comm), (row,), note)
    frozen = [each for each in incident.of(SettingSeen) if each.name in FREEZES and each.value in FROZEN]
    for setting in frozen:
        yield Finding(Subject(), (setting,), f"{setting.name} is {setting.value}")
    if rows and not (stopped or halted or written or frozen) and any(row.state for row in rows):
        witnesses = tuple(incident.reads("process-table", "some-processes", "kernel-stacks"))
        if witnesses:
            yield Finding(Subject(), witnesses, "no process is stopped", present=False)


def _by_tracer(incident: Incident, row: ProcessState | ThreadState) -> str:
    """Who traces it, where a process table shows a debugger that was told its pid."""
    for other in incident.of(ProcessState):
        if (found := ATTACHED.match(other.command or "")) and int(found[2]) == row.subject.pid:
            return f"by a debugger: {found[1]}, pid {other.subject.pid}, is attached"
    return "by a debugger"


def stands_still(row: ThreadState) -> bool:
    """True where the thread's kernel stack, or the name of where it waits, is that of a stop; unless another's name is
    known.
    """
    inner = (*row.frames[:2], row.wchan)
    return any(name in STOPS for name in inner if name) and (row.subject.comm is None or of_the_job(row))


def watched_alone(incident: Incident) -> Sequence[ProcessState]:
    """The looks at the only process that somebody looked at, where each found it stopped at the same CPU time."""
    rows = incident.of(ProcessState)
    still = len({(row.subject.pid, row.subject.comm, row.cpu_s) for row in rows}) == 1 and rows[0].cpu_s is not None
    stopped = all(row.state in ("T", "t") for row in rows)
    beside = any(map(is_beside, rows))
    return rows if len(rows) > 1 and still and stopped and not beside else ()


def of_the_job(row: ProcessState | ThreadState) -> bool:
    """True for a process of the job, or the client of a volume that it uses: a shell's stopped editor is nobody's
    fault, and a stopped server of a volume is the volume's."""
    comm, command = row.subject.comm or "", getattr(row, "command", "")
    if not comm and not command:
        return True  # somebody looked at this one alone
    return not comm.startswith(DAEMONS) and (CLIENT.match(command or comm) is not None or is_of_the_job(row))


def is_beside(row: ProcessState | ThreadState) -> bool:
    """True for what a person runs beside the job: a pager at its prompt stands in a terminal too."""
    return BESIDE_IT.match(getattr(row, "command", "") or row.subject.comm or "") is not None


def concerned(row: ProcessState | ThreadState, looked_at: set[int | None]) -> bool:
    """True unless somebody looked closely at other processes only: the whole machine's table has strangers in it."""
    return not looked_at or row.subject.pid in looked_at or row.parent_pid in looked_at


SYMPTOM = Symptom(
    title="a process is stopped",
    rule=rule,
    leak=0.0005,
    because="nothing but a signal, a terminal or a debugger stops a process",
    command="ps -eo pid,ppid,stat,wchan:32,args | awk '$3 ~ /[Tt]/'",
)
