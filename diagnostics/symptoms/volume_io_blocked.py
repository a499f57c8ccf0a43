"""A thread is blocked in the kernel on a file operation of a network or FUSE volume.

Any state in a function of the volume's client (close, open, stat and write wait there in S until a signal arrives),
or state D for a page of a file that lies on such a volume. The mount is attributed through the descriptor that the
system call was given, then through the process's open files, then through the only network mount there is; a wait
whose file is local never counts. An unmount, a df or a stat in D that names such a volume counts
where no wait channel is told. Reports of hung tasks and system calls that did not return count alike.
ABSENT where kernel stacks or wait channels were read and none is in such a wait; an empty kernel log proves nothing,
since a killable read is never reported there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..evidence import Evidence, Subject
from ..evidence.kernel import HungTask
from ..evidence.process import ProcessState, SystemCall, ThreadState
from ..filesystems import CLIENTS, DAEMONS
from ..incident import Incident
from ..kernel_waits import CLIENT_WAITS
from ._places import on_network, only_network_mount, place, volume_beside
from ._symptom import Finding, Symptom
from ._volume_calls import LONG_S, QUESTIONS, commands_about_a_mount, file_and_mount
from ._waits import blocked_in_client, blocked_on_page

NOT_A_DISK = ("/sys/", "/proc/", "/dev/", "pipe:", "socket:", "anon_inode:")
SHORT_CALLS = (*QUESTIONS, "open", "openat", "getdents", "getdents64", "fsync")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each blocked thread with its mount; else the tables that show none."""
    found = False
    for finding in (*_threads(incident), *_named(incident), *_reports(incident), *_calls(incident)):
        found = True
        yield finding
    witnesses = incident.reads("kernel-stacks", "process-table", "some-processes")
    channels = {*(t.wchan for t in incident.of(ThreadState)), *(p.wchan for p in incident.of(ProcessState))}
    if channels - {None, "0", "-"} and witnesses and not found:
        yield Finding(Subject(), tuple(witnesses), "no process is blocked on a network volume", present=False)


def _threads(incident: Incident) -> Iterator[Finding]:
    waiting: list[ThreadState | ProcessState] = [*incident.of(ThreadState), *incident.of(ProcessState)]
    for fact in waiting:
        client = blocked_in_client(fact)
        if not client and not blocked_on_page(fact):
            continue
        if (fact.subject.comm or "").startswith((*CLIENTS, *DAEMONS, "lockd")):
            continue
        file, mount = file_and_mount(incident, fact)
        if file and file.target.startswith(NOT_A_DISK):
            continue
        if (mount is not None and not mount.network) or (mount is None and not client):
            continue
        where = fact.wchan or (fact.function if isinstance(fact, ThreadState) else None) or "its client"
        yield Finding(
            Subject(
                mount=mount.subject.mount if mount else None,
                server=mount.subject.server if mount else None,
                path=file.target if file else None,
                pid=fact.subject.pid,
                comm=fact.subject.comm,
                host=fact.subject.host,
            ),
            (fact, *((file,) if file else ()), *((mount,) if mount else ())),
            f"{fact.subject.comm or 'a process'} {fact.subject.pid or ''} is blocked in {where}".replace("  ", " "),
        )


def _named(incident: Incident) -> Iterator[Finding]:
    for row, mount in commands_about_a_mount(incident):
        subject = Subject(mount=mount.subject.mount, server=mount.subject.server, pid=row.subject.pid)
        yield Finding(subject, (row, mount), f"`{row.command[:100]}` is in D")


def _reports(incident: Incident) -> Iterator[Finding]:
    """Hung tasks whose guilty function is a client's."""
    for task in incident.of(HungTask):
        words = (task.function or "", *task.frames)
        if any(word.startswith(CLIENT_WAITS) for word in words):
            who = task.subject
            yield Finding(
                replace(volume_beside(incident, task), pid=who.pid, comm=who.comm, host=who.host),
                (task,),
                f"the kernel reports {task.subject.comm} {task.subject.pid} blocked in {task.function}",
            )


def _calls(incident: Incident) -> Iterator[Finding]:
    """System calls on a network volume that did not return while they were traced."""
    for call in incident.of(SystemCall):
        path: str | None = call.subject.path
        cited: tuple[Evidence, ...] = (call,)
        process = incident.links.process_of(call)
        if path is None and call.descriptor is not None and process is not None:
            file = next((f for f in process.files if f.descriptor == call.descriptor), None)
            path, cited = (file.target, (call, file)) if file else (None, cited)
        subject = place(incident, path, call, pid=call.subject.pid)
        if call.unfinished and path and on_network(incident, subject, call):
            yield Finding(subject, cited, f"{call.name}() on {path} did not return")
        elif (
            (mount := only_network_mount(incident, call))
            and call.name in SHORT_CALLS
            and (call.duration_s or 0.0) >= LONG_S
        ):
            note = f"{call.name}() has not returned for {call.duration_s or 0.0:.0f} s"
            yield Finding(mount.subject, (call, mount), note)


SYMPTOM = Symptom(
    title="processes blocked in the kernel on a network volume",
    rule=rule,
    leak=0.004,
    because="a healthy volume answers within milliseconds; to catch a process waiting for one is rare",
    tells_apart=("mount",),
    command="for p in JOB_PID; do grep -H . /proc/$p/task/*/{wchan,status,stack,syscall}; ls -l /proc/$p/fd; done",
    cost_minutes=1,
)
