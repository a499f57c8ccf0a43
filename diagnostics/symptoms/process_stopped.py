"""A process of the job is stopped: state T (a signal) or t (a debugger).

Where the stacks of some processes were taken, those and their children are the job's. ABSENT where the states of the job's processes were read and none is stopped.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.process import ProcessState, ThreadState
from ..incident import Incident
from . import Finding, Symptom

SERVERS = ("mfschunkserver", "mfsmaster", "sftp-server", "glusterfsd", "ceph-osd", "ceph-mds", "nfsd", "beegfs-")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each stopped process; else the tables without one."""
    rows: list[ProcessState | ThreadState] = [*incident.of(ProcessState), *incident.of(ThreadState)]
    looked_at = {thread.subject.pid for thread in incident.of(ThreadState)}
    stopped = [row for row in rows if row.state in ("T", "t") and of_the_job(row) and concerned(row, looked_at)]
    for row in stopped:
        by = "by a signal" if row.state == "T" else "by a debugger"
        yield Finding(
            Subject(pid=row.subject.pid, comm=row.subject.comm),
            (row,),
            f"{row.subject.comm} {row.subject.pid} is stopped {by}",
        )
    if rows and not stopped and any(row.state for row in rows):
        witnesses = tuple(incident.reads("process-table", "kernel-stacks"))
        if witnesses:
            yield Finding(Subject(), witnesses, "no process is stopped", present=False)


def of_the_job(row: ProcessState | ThreadState) -> bool:
    """True for what a training job is made of: a shell's stopped editor is nobody's fault, and a stopped server of
    a volume is the volume's."""
    if (row.subject.comm or "").startswith(SERVERS):
        return False
    words = f"{row.subject.comm or ''} {row.command if isinstance(row, ProcessState) else ''}"
    return any(word in words for word in ("python", "pt_", "train", "torchrun", "worker", "mfs", "sshfs", "ranks"))


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
