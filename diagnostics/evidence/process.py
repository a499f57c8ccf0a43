"""What processes were doing: states, stacks, descriptors, limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from . import Evidence


class Frame(NamedTuple):
    """One stack frame; `file` and `line` are None for native and kernel frames that do not say."""

    function: str
    file: str | None = None
    line: int | None = None
    module: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessState(Evidence):
    """A row of a process table. Subject: pid, comm.

    `state` is the kernel's letter (R, S, D, T, t, Z, X, I), without the flags that ps appends. `began_s` is the start
    time in seconds as its table writes it, of a day where no date stands with it: to be compared within one table.

        21480     1 Dl   folio_wait_bit_common   71 pt_data_worker
    """

    state: str | None
    parent_pid: int | None = None
    wchan: str | None = None
    elapsed_s: float | None = None
    began_s: float | None = None
    cpu_s: float | None = None
    cpu_percent: float | None = None
    rss_kib: int | None = None
    user: str | None = None
    threads: int | None = None
    command: str = ""

    @property
    def names(self) -> str:
        """All the names that it goes by: its own and its command line."""
        return f"{self.subject.comm or ''} {self.command}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceState(Evidence):
    """What a service manager, or Kubernetes of a pod, says of a service. Subject: job, which is the service's name.

    `state` is "active", "inactive" or "failed"; `was_active` is True where it is known to have run before. `age_s` is
    the time since its state changed, or since a pod was made.

        nfs-server.service    loaded failed failed NFS server and services
    """

    state: str
    was_active: bool = False
    age_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadState(Evidence):
    """One thread from /proc/PID/task. Subject: pid, tid, comm.

    `syscall` is the number of the system call the thread is in (-1 = none, None = not known) and `descriptor`
    its first argument when that call takes one; `frames` is the kernel stack, innermost first;
    `function` its guilty frame.

        -- tid 12414 (pt_data_worker) State: D (disk sleep) cpu_ticks 9
    """

    state: str | None
    wchan: str | None = None
    syscall: int | None = None
    descriptor: int | None = None
    cpu_ticks: int | None = None
    parent_pid: int | None = None
    kill_pending: bool = False
    frames: tuple[str, ...] = ()
    function: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonStack(Evidence):
    """The Python frames of one thread, innermost first. Subject: pid, tid, rank where known.

    `active` is the tool's opinion that the thread was on a CPU (py-spy says idle for a thread in D);
    `names` are local variables that name files or descriptors, where the tool showed locals. `crashed` is the
    thread that a fatal error struck; `error` is that error ("Segmentation fault", "Bus error"). `interrupted` is a
    thread that somebody's Ctrl-C ended: its traceback shows where it was, and nothing of the other threads. `code` is
    the line of the innermost frame, where the tool prints it.

        Thread 6318 (active): "MainThread"
    """

    thread: str
    frames: tuple[Frame, ...]
    active: bool | None = None
    holds_gil: bool | None = None
    command: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    crashed: bool = False
    error: str | None = None
    interrupted: bool = False
    code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeStack(Evidence):
    """The C frames of one thread, innermost first (gdb, pystack, py-spy --native). Subject: pid, tid.

    `alone` is True where the dump lists all threads of the process and there is this one only.

    #0  __futex_abstimed_wait_common (...) at ./nptl/futex-internal.c:57
    """

    thread: str
    frames: tuple[Frame, ...]
    alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StackDumpFailed(Evidence):
    """A stack dump was tried and failed: no frames is then no evidence. Subject: pid.

    Error: Failed to suspend process
    """

    tool: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenFile(Evidence):
    """A descriptor and what it points at. Subject: pid, path.

    lr-x------ 1 root root 64 Nov 29 12:52 12 -> /workspace/data/shard2.bin
    """

    descriptor: int | None
    target: str
    deleted: bool = False
    writable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenFileCount(Evidence):
    """How many descriptors a process holds. Subject: pid.

    pid 19273 open files: 63
    """

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceLimit(Evidence):
    """A resource limit of a process or shell; None = unlimited. Subject: pid where known.

    Max open files            170                  170                  files
    """

    resource: str
    soft: int | None
    hard: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemCall(Evidence):
    """A system call seen by strace. Subject: pid (the thread), path where an argument names it.

    `unfinished` is True when it never returned while the trace ran.

        [pid 4242] read(12, <unfinished ...>
    """

    name: str
    arguments: str
    result: str | None = None
    error: str | None = None
    duration_s: float | None = None
    unfinished: bool = False
    descriptor: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemCallTotal(Evidence):
    """All calls of one kind while somebody counted: how many, and how long they took together.

    71.42   81.907113        4106     19945      8210 openat
    """

    name: str
    calls: int
    seconds: float
