"""A thread is blocked in the kernel on a file operation of a network or FUSE volume.

State D under a read or page fault of the volume's client, or any state in `request_wait_answer` (close, open,
stat and write wait there in S until a signal arrives). The mount is attributed through the descriptor that the
system call was given; without one, through the only network mount there is; else it stays unknown.
ABSENT where kernel stacks or wait channels of the run's processes were read and none is in such a wait.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.process import ProcessState, ThreadState
from ..incident import Incident
from . import Finding, Symptom

CLIENT_WAITS = ("request_wait_answer", "fuse_", "nfs_", "rpc_wait", "ceph_", "lustre", "ll_", "cifs_", "ptlrpc")
PAGE_WAITS = ("folio_wait_bit", "wait_on_page_bit", "io_schedule")


def blocked_on_volume(fact: ThreadState | ProcessState) -> bool:
    """True when the wait itself names a network filesystem's client."""
    frames = fact.frames if isinstance(fact, ThreadState) else ()
    return any(word.startswith(CLIENT_WAITS) for word in (fact.wchan or "", *frames))


def rule(incident: Incident) -> Iterator[Finding]:
    links = incident.links
    only = [mount for mount in links.mounts if mount.network]
    looked = False
    waiting: list[ThreadState | ProcessState] = [*incident.of(ThreadState), *incident.of(ProcessState)]
    for fact in waiting:
        looked = looked or bool(fact.wchan and fact.wchan != "0")
        paged = fact.state == "D" and (fact.wchan or "").startswith(PAGE_WAITS)
        if not (blocked_on_volume(fact) or paged):
            continue
        file = links.file_of(fact) if isinstance(fact, ThreadState) else None
        mount = links.mount_of(file.target) if file else None
        if mount is None and len(only) == 1:
            mount = only[0]
        if mount is not None and not mount.network:
            continue
        yield Finding(
            Subject(
                mount=mount.subject.mount if mount else None,
                server=mount.subject.server if mount else None,
                path=file.target if file else None,
                pid=fact.subject.pid,
            ),
            (fact, *((file,) if file else ()), *((mount,) if mount else ())),
            f"{fact.subject.comm or 'a process'} {fact.subject.pid} is blocked in {fact.wchan}",
        )
    witnesses = incident.reads("kernel-stacks", "process-table")
    if looked and witnesses:
        yield Finding(Subject(), tuple(witnesses), "no process is blocked on a network volume", present=False)


SYMPTOM = Symptom(
    title="processes blocked in the kernel on a network volume",
    rule=rule,
    leak=0.01,
    because="a healthy volume answers within milliseconds; to catch a process waiting for one is rare",
    tells_apart=("mount",),
    command="for p in PID; do grep -H . /proc/$p/task/*/{wchan,status,stack,syscall}; ls -l /proc/$p/fd; done",
    cost_minutes=1,
)
