"""Processes of the job stay after their kill: orphans in D or in a file operation, names in brackets, or a leader that
is a zombie while another of its threads lives (its stack, or children that it has not lost yet), or a kill that is
pending and has no effect.

Never ABSENT: no table says whether it was taken after the kill.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.process import ProcessState, ThreadState
from ..evidence.storage import CommandOutcome
from ..filesystems import CLIENTS
from ..incident import Incident
from ..kernel_waits import CLIENT_WAITS, PAGE_WAITS
from ._jobs import is_of_the_job
from ._places import volume_beside
from ._symptom import Finding, Symptom

FILE_WAITS = (*CLIENT_WAITS, *PAGE_WAITS)
SYSTEM = ("kworker", "jbd2", "systemd", "dbus", "cron", "containerd", "dockerd")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each leftover that no kill ends."""
    rows = incident.of(ProcessState)
    parents = {(row.source.file, row.parent_pid) for row in rows}
    for row in rows:
        if row.state == "Z" and (row.source.file, row.subject.pid) in parents and is_of_the_job(row):
            yield Finding(
                volume_beside(incident, row),
                (row,),
                f"{row.subject.comm} {row.subject.pid} has ended and still has children: a thread of it lives",
            )
        comm = row.subject.comm or row.command
        blocked = row.state == "D" or (row.wchan or "").startswith(FILE_WAITS)
        if row.parent_pid == 1 and blocked and not comm.startswith((*SYSTEM, *CLIENTS)) and is_of_the_job(row):
            yield Finding(
                volume_beside(incident, row),
                (row,),
                f"{comm} {row.subject.pid} is an orphan that waits in {row.wchan or 'state D'}",
            )
    for command in incident.of(CommandOutcome):
        if command.outcome == "hanging" and command.command.startswith("kill"):
            note = f"`{command.command[:80]}` had no effect"
            yield Finding(volume_beside(incident, command), (command,), note)
    for thread in incident.of(ThreadState):
        if thread.kill_pending and (thread.state == "D" or (thread.wchan or "").startswith(FILE_WAITS)):
            note = f"{thread.subject.pid} has a kill pending and stays in {thread.wchan}"
            yield Finding(volume_beside(incident, thread), (thread,), note)


SYMPTOM = Symptom(
    title="killed processes do not go away",
    rule=rule,
    leak=0.003,
    because="a killed process is gone at once unless the kernel keeps it inside a call",
    tells_apart=("mount",),
    command="ps -eLo pid,ppid,tid,stat,wchan:32,etime,args | awk '$4 ~ /D|Z/'",
)
