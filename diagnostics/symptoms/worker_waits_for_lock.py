"""A DataLoader worker waits for a lock below user code: its only way on is a lock that nobody in it can release.

The worker's main thread is on a futex while its innermost Python frame is user code (no queue, no pipe); or the frame
takes a lock by name; or its C stack ends in one of libc's own locks; or the only thread of a process waits for a native
lock. ABSENT where workers' stacks were taken and all
of them idle at their queues or read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.process import Frame, NativeStack, PythonStack
from ..incident import Incident
from ..links import Process
from . import Finding, Symptom
from ._waits import innermost_own, is_main, is_worker, kernel_facts, native_names, on_futex, takes_lock, wait_channels

LIBC_LOCKS = frozenset(
    "__lll_lock_wait_private __internal_atexit __cxa_atexit __GI___cxa_atexit arena_get2 ptmalloc_lock_all "
    "_IO_lock_lock "
    "__libc_fork_lock dl_iterate_phdr __tls_get_addr_slow _dl_fini".split()
)
NATIVE_LOCKS = ("__lll_lock_wait", "pthread_mutex_lock", "__pthread_mutex_lock", "___pthread_mutex_lock")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each worker at a lock; else the workers that wait elsewhere."""
    idle = []
    found = False
    for process in incident.links.processes.values():
        if is_worker(process):
            for finding in _at_lock(process):
                found = True
                yield finding
            idle += [stack for stack in process.stacks if is_main(stack)]
    for native in incident.of(NativeStack):
        inner = native_names(native, 4)
        if any(name in LIBC_LOCKS for name in inner):
            found = True
            yield Finding(
                Subject(pid=native.subject.pid),
                (native,),
                f"a process is inside {inner[0]}, at one of libc's own locks",
            )
    for native in _only_threads(incident):
        found = True
        note = f"the only thread of {native.subject.pid} waits for a lock: nobody in it can release it"
        yield Finding(Subject(pid=native.subject.pid), (native,), note)
    if idle and not found:
        yield Finding(Subject(), tuple(idle), "no worker waits for a lock", present=False)


def _taker(stack: PythonStack) -> Frame | None:
    """The frame that takes a lock of the threading module; a queue's own lock is no more than its wait."""
    inner = stack.frames[:2]
    if len(inner) < 2 or not takes_lock(stack) or not (inner[0].file or "").endswith("threading.py"):
        return None
    return None if (inner[1].file or "").endswith(("threading.py", "queue.py", "queues.py")) else inner[1]


def _only_threads(incident: Incident) -> Iterator[NativeStack]:
    """Threads at a native lock in a process whose listing shows no other thread; a lone `bt` is no listing."""
    listed: dict[tuple[str, int | None], list[NativeStack]] = defaultdict(list)
    for native in incident.of(NativeStack):
        listed[native.source.file, native.subject.pid].append(native)
    for (_, pid), stacks in listed.items():
        alone = len(stacks) == 1 and stacks[0].thread != "current thread" and pid is not None
        if alone and any(name.startswith(NATIVE_LOCKS) for name in native_names(stacks[0], 2)):
            yield stacks[0]


def _at_lock(process: Process) -> Iterator[Finding]:
    for stack in process.stacks:
        own = innermost_own(stack) or _taker(stack)
        if not is_main(stack) or own is None or stack.active:
            continue
        channels = wait_channels(process, stack.subject.tid)
        if any(on_futex(channel) for channel in channels) or (takes_lock(stack) and not channels):
            where = f"{own.function} ({own.file}:{own.line})"
            yield Finding(
                Subject(pid=process.pid, comm=process.comm),
                (stack, *kernel_facts(process, stack.subject.tid)),
                f"worker {process.pid} waits for a lock in {where}",
            )


SYMPTOM = Symptom(
    title="a loader worker waits for a lock",
    rule=rule,
    leak=0.0005,
    because="a healthy worker waits at its queue or works; a futex below user code means a lock that stays taken",
    command="py-spy dump --nonblocking --pid WORKER; cat /proc/WORKER/wchan",
    cost_minutes=1,
)
