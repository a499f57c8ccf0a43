"""A DataLoader worker or another forked child waits for a lock below user code: nobody in it can release that.

A worker's main thread is on a futex while its innermost Python frame is user code (no queue, no pipe), or that frame
takes a lock by name, or the lock of the worker's own queue of indices, which nobody else reads. Or another thread of
the worker idles outside the standard library while a C stack shows it at a lock of Python's.

A child of multiprocessing that was not spawned takes the lock of a logging handler, as its one thread; or it idles,
forked, inside of a runtime that answers from threads which a fork does not copy (JAX, TensorFlow), or in a call of a
library that only calculates (a TLS context, a digest).

The only thread of a child waits for another one of its process, by an event, a condition or a future. Or it idles
inside of a library with threads of its own, and its process uses no CPU.

All children of a process that was warned of forking with threads are on futexes.

ABSENT where workers' stacks were taken and all of them idle at their queues or read, and no C stack is at a lock of a
runtime's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import LogLine
from ..evidence.process import Frame, NativeStack, PythonStack
from ..incident import Incident
from ..links import Process
from ._registry import findings_of
from ._symptom import Finding, Symptom
from ._waits import (
    POOL_FRAMES,
    forked,
    idles_at_a_librarys_lock,
    in_library,
    in_worker,
    innermost_own,
    is_forked,
    is_main,
    is_worker,
    kernel_facts,
    name_of,
    native_names,
    on_futex,
    serves_a_pool,
    takes_lock,
    takes_logging_lock,
    wait_channels,
    waits_for_module,
)

WARNED = re.compile(
    r"is multi-threaded, use of fork\(\)|os\.fork\(\) is incompatible with multithreaded code"
    r"|[Uu]sing fork\(\) can cause \w{2,30} to deadlock"
)
PYTHON_LOCKS = ("PyThread_acquire_lock", "lock_PyThread_acquire_lock", "rlock_acquire")
MANY_THREADS = 8
OF_THREADS = ("threading.py", "_base.py", "queue.py")
# the Python side of libraries that share their work out to native threads
HAS_THREADS = re.compile(
    r"tokenization_utils_(?:fast|tokenizers)\.py|tokenizers/implementations/|(?:^|/)(?:polars|lancedb?|pyarrow)/"
)
RUNTIMES = re.compile(
    "(?:^|/)(?:jax/_src/(?:compiler|dispatch|array|interpreters/)|jaxlib/"
    "|tensorflow/python/(?:eager|client|framework)/)"
)
IN_POOL = ("pool.py", "process.py", "popen_fork.py", "worker.py")
IDLE_PERCENT = 3.0


def rule(incident: Incident) -> Iterator[Finding]:
    """Each worker at a lock; else the workers that wait elsewhere."""
    signs = [*_by_process(incident), *_of_nobody(incident), *_helpers_at_locks(incident)]
    signs += [*_pools_left_behind(incident), *_forked_with_threads(incident), *_alone_inside(incident)]
    yield from signs
    workers = [process for process in incident.links.with_python if is_worker(process)]
    idle = [stack for process in workers for stack in process.stacks if is_main(stack) and _is_known_idle(stack)]
    if idle and not signs and not any(findings_of(incident, "child-at-runtime-lock")):
        yield Finding(Subject(), tuple(idle), "no worker waits for a lock", present=False)


def _by_process(incident: Incident) -> Iterator[Finding]:
    """Workers, forked children and a pool's children by their own Python stacks."""
    for process in incident.links.with_python:
        if is_worker(process) or is_forked(process) or any(map(serves_a_pool, process.stacks)):
            yield from _at_lock(process)
            yield from _waits_for_nobody(process)


def _is_known_idle(stack: PythonStack) -> bool:
    """True for a worker at its queue, or one at work; one that idles in code of its own may wait for anything."""
    return stack.active or innermost_own(stack) is None


def _of_nobody(incident: Incident) -> Iterator[Finding]:
    """Stacks of workers and forked children that name no process; the only child on a futex is whose stack it is."""
    table = {key: process.states for key, process in incident.links.processes.items() if process.states}
    children = [
        child for parent, keys in incident.links.children.items() for child in keys if {parent, child} <= table.keys()
    ]
    rows = [row for child in children for row in table[child] if row.threads == 1]
    waiting = [row for row in rows if on_futex(row.wchan)]
    for stack in incident.of(PythonStack):
        if stack.subject.pid is not None or not innermost_own(stack) or stack.crashed or stack.interrupted:
            continue
        where = stack.frames[0].function
        if (in_worker(stack) or forked(stack)) and takes_lock(stack):
            yield Finding(Subject(), (stack,), f"a forked child waits for a lock in {where}")
        elif forked(stack) and len(waiting) == len(children) == 1:
            yield Finding(
                Subject(), (stack, waiting[0]), f"the only child waits on a futex in {where}, its only thread"
            )


def _helpers_at_locks(incident: Incident) -> Iterator[Finding]:
    """Threads beside a worker's main one, by their Python stack and the C stack of the same thread.

    For the thread that feeds a worker's results a C stack without a name will do: it waits in its queue or writes to
    its pipe, and both are in the standard library.
    """
    locked = [
        native
        for native in incident.of(NativeStack)
        if any(name.startswith(PYTHON_LOCKS) for name in native_names(native, 8))
    ]
    for process in incident.links.with_python:
        for stack in process.stacks if is_worker(process) else ():
            if is_main(stack) or stack.active or stack.crashed or not stack.frames or in_library(stack.frames[0]):
                continue
            feeds = any(name_of(frame) == "_feed" for frame in stack.frames)
            fits = (stack.subject.tid, None) if feeds else (stack.subject.tid,)
            native = next((each for each in locked if each.subject.tid in fits), None)
            if native:
                note = f"{stack.thread} of worker {process.pid} waits for a lock in {name_of(stack.frames[0])}"
                yield Finding(Subject(pid=process.pid, comm=process.comm), (stack, native), note)


def _taker(stack: PythonStack) -> Frame | None:
    """The frame that takes a lock of the threading module; a queue's own lock is no more than its wait."""
    inner = stack.frames[:2]
    if len(inner) < 2 or not takes_lock(stack) or not (inner[0].file or "").endswith("threading.py"):
        return None
    return None if (inner[1].file or "").endswith(("threading.py", "queue.py", "queues.py")) else inner[1]


def _of_its_own_queue(stack: PythonStack) -> Frame | None:
    """The frame that takes the read lock of a DataLoader worker's queue: an idle worker is past it, in a poll."""
    inner = stack.frames[:3]
    if len(inner) < 3 or inner[0].function not in ("acquire", "__enter__") or inner[2].function != "_worker_loop":
        return None
    files = [(frame.file or "").rpartition("/")[2] for frame in inner]
    return inner[1] if files == ["synchronize.py", "queues.py", "worker.py"] else None


def _waits_for_nobody(process: Process) -> Iterator[Finding]:
    """The only thread of a process where it waits for what only another thread of it can do."""
    stack = process.stacks[0] if len(process.stacks) == 1 else None
    if stack is None or not stack.frames or stack.active or stack.crashed or stack.interrupted:
        return
    inner = stack.frames[0]
    if name_of(inner) not in ("wait", "join", "_wait_for_tstate_lock") or not (inner.file or "").endswith(
        "threading.py"
    ):
        return
    own = next((f for f in stack.frames if not (f.file or "").endswith(OF_THREADS)), inner)
    note = f"the only thread of child {process.pid} waits for another one below {own.function} ({own.file}:{own.line})"
    yield Finding(Subject(pid=process.pid, comm=process.comm), (stack,), note)


def _pools_left_behind(incident: Incident) -> Iterator[Finding]:
    """Children of a pool that idle inside a library with native threads of its own, none of which uses a CPU."""
    for process in incident.links.with_python:
        used = [(row, row.cpu_percent) for row in process.states if row.state == "S"]
        rows = [row for row, percent in used if percent is not None and percent <= IDLE_PERCENT]
        for stack in process.stacks if rows and len(process.stacks) == 1 else ():
            serves = any(
                (frame.file or "").endswith(IN_POOL) and name_of(frame) in POOL_FRAMES for frame in stack.frames
            )
            if serves and not stack.active and stack.frames and HAS_THREADS.search(stack.frames[0].file or ""):
                where = f"{stack.frames[0].function} ({stack.frames[0].file})"
                note = f"child {process.pid} idles in {where}, and no thread of it uses a CPU"
                yield Finding(Subject(pid=process.pid, comm=process.comm), (stack, rows[0]), note)


def _alone_inside(incident: Incident) -> Iterator[Finding]:
    """Children in which one thread waits and no other works: what it waits for, only threads of their parent could
    do.
    """
    stacks = incident.of(PythonStack)
    at_work: dict[tuple[str, int | None], list[PythonStack]] = defaultdict(list)
    for stack in stacks:
        if stack.active or innermost_own(stack):
            at_work[stack.source.file, stack.subject.pid].append(stack)
    for stack in stacks:
        if any(each is not stack for each in at_work.get((stack.source.file, stack.subject.pid), ())):
            continue
        if stack.active or stack.crashed or stack.interrupted or not stack.frames or not is_main(stack):
            continue
        where = f"{stack.frames[0].function} ({stack.frames[0].file})"
        subject = Subject(pid=stack.subject.pid, comm=stack.subject.comm)
        if takes_logging_lock(stack) and _is_child(stack):
            yield Finding(subject, (stack,), f"a child waits for the lock of a logging handler in {where}")
        elif forked(stack) and RUNTIMES.search(stack.frames[0].file or ""):
            yield Finding(subject, (stack,), f"a forked child idles in {where}, whose threads a fork does not copy")
        elif forked(stack) and idles_at_a_librarys_lock(stack):
            yield Finding(subject, (stack,), f"a forked child idles in {where}, at a lock of the library's")


def _is_child(stack: PythonStack) -> bool:
    """True in a process of multiprocessing that was forked, as far as its frames tell."""
    places = [(name_of(frame), (frame.file or "").rpartition("/")[2]) for frame in stack.frames]
    spawned = any(file in ("spawn.py", "forkserver.py") for _, file in places)
    return ("_bootstrap", "process.py") in places and not spawned


def _forked_with_threads(incident: Incident) -> Iterator[Finding]:
    """All children of a process on futexes, after the runtime had warned that it forks with threads.

    In a healthy pool one of them reads the pipe of tasks and holds the lock that the others wait for.
    """
    warned = [fact for fact in incident.of(LogLine) if WARNED.search(fact.text)]
    for parent, children in incident.links.children.items():
        above = incident.links.processes.get(parent)
        many = [row for row in above.states if (row.threads or 0) >= MANY_THREADS] if above else []
        rows = [row for child in children for row in incident.links.processes[child].states if row.threads == 1]
        same = {row.subject.comm for row in (*rows, *many)}
        waits = len(rows) >= 2 and len(rows) == len(children) and all(on_futex(row.wchan) for row in rows)
        if waits and (warned or (many and len(same) == 1)):
            note = f"all {len(rows)} children of {parent[1]} wait on futexes, and it had forked with threads"
            yield Finding(Subject(), (*rows[:4], *warned[:1], *many[:1]), note)


def _at_lock(process: Process) -> Iterator[Finding]:
    for stack in process.stacks:
        own = innermost_own(stack) or _taker(stack) or _of_its_own_queue(stack)
        if not is_main(stack) or own is None or stack.active:
            continue
        channels = wait_channels(process, stack.subject.tid)
        blocked = any(map(on_futex, channels)) and (is_worker(process) or any(r.threads == 1 for r in process.states))
        if blocked or ((takes_lock(stack) or waits_for_module(stack)) and not channels):
            where = f"{own.function} ({own.file}:{own.line})"
            yield Finding(
                Subject(pid=process.pid, comm=process.comm),
                (stack, *kernel_facts(process, stack.subject.tid)),
                f"child {process.pid} waits for a lock in {where}",
            )


SYMPTOM = Symptom(
    title="a worker or forked child waits for a lock",
    rule=rule,
    leak=0.0005,
    because="a healthy worker waits at its queue or works; a futex below user code means a lock that stays taken",
    command="py-spy dump --nonblocking --pid WORKER; cat /proc/WORKER/wchan",
    cost_minutes=1,
)
