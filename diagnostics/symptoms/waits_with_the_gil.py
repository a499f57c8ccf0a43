"""A thread waits in native code and keeps Python's global lock (the GIL), which another thread of the process wants.

Python's own locks let go of the GIL before they wait, so a wait for one straight from C keeps it. Or the sampler says
who holds it (in its own dump, too, of the same thread), or nobody else can: a free GIL is taken at once, so that of
two threads or more that run Python one keeps it where all the others want it, and so does one of a process of which
every thread is shown, and all that do not want it wait below the interpreter. A call of the GPU's driver may only be
busy: it counts where the one at the GIL is a time-out's own thread, or where a watchdog or collective has given up.
Or a destructor that Python runs waits for the threads of its own object, and one of them wants the GIL: the object
says that both are of one process, though each was dumped by itself.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..evidence import Subject
from ..evidence.collective import CollectiveTimeout
from ..evidence.process import Frame, NativeStack, PythonStack
from ..evidence.supervisor import WatchdogFired
from ..incident import Incident
from ..text import whole_number
from ._symptom import Finding, Symptom
from ._waits import native_names, wants_gil

PYTHON_LOCK = ("PyThread_acquire_lock", "PyThread_acquire_lock_timed")
LETS_GO = (
    "acquire_timed lock_PyThread_acquire_lock rlock_acquire _enter_buffered_busy _queue_SimpleQueue_get "
    "PyThread_acquire_lock_timed_with_retries _queue_SimpleQueue_get_impl PyEval_SaveThread time_sleep pysleep "
    "select_poll_poll select_epoll_poll select_select select_epoll_poll_impl sock_recv sock_accept sock_call_ex "
    "internal_select "
    "gil_scoped_release os_read os_read_impl _Py_read os_waitpid os_waitpid_impl _io_FileIO_readinto "
    "_PyImport_AcquireLock"
).split()
WAITS = re.compile(
    r"(?:^|::|_)(?:futex\w*|pthread_(?:cond|mutex|rwlock)\w*|lll_lock_wait\w*|sem_(?:timed)?wait\w*|psynch\w*|poll"
    "|select|epoll_wait"
    r"|recv\w*|accept|nothrow_wait_cv\S*|nsync_\w{1,40}|wait(?:_\w{1,20})?|join|condition_variable\S*"
    r"|do_futex_wait\S*)(?:$|@|\()"
    # waits of other runtimes: Abseil, TSL, folly, Rust
    # absl::lts_20230802::CondVar::Wait(absl::lts_20230802::Mutex*)      AbslInternalPerThreadSemWait_lts_20230802
    r"|(?:Waiter|CondVar|Baton|EventCount|Semaphore|Event)::(?:Wait|timedWait|CommonWait)\w{0,20}(?:$|\()"
    "|PerThreadSem(?:Wait|::Wait)"
    r"|Notification::WaitFor\w{1,20}(?:$|\()|\bMutex::(?:Block|Await)\w{0,20}(?:$|\()|\bBlockUntilReady"
    r"|^std::thread::park\w{0,20}|^(?:<?parking_lot(?:_core)?::)\S{0,80}\bpark"
)
SLEEPS = re.compile(r"^(?:__)?(?:clock_)?(?:nanosleep|usleep|sched_yield)$")
RUNS_PYTHON = re.compile(
    r"^pybind11::cpp_function::dispatcher|^_wrap_[A-Za-z]\w|^THP[A-Z]\w|^_?PyCFunction_\w{0,20}[Cc]all|"
    r"_?PyEval_EvalFrame|_?PyObject_(?:Call|Vectorcall)|cfunction_\w{0,20}call|call_function|method_vectorcall"
    "|subtype_dealloc|^__pyx_p[wf]_"
)
NAMED = re.compile(r"^[A-Za-z_]\w{3,}$")
DRIVER = re.compile(r"^(?:cu|cuda|nccl|hip|pnccl)[A-Z]\w{2,60}$")
TIME_IS_UP = re.compile(r"abort|time_?out|watch_?dog|heart_?beat|deadline", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each process in which one thread keeps what another wants."""
    sampled = [stack for stack in incident.of(PythonStack) if stack.holds_gil]
    holders = {(stack.source.file, stack.source.line) for stack in sampled}
    threads = {
        (stack.subject.pid, stack.subject.tid)
        for stack in sampled
        if None not in (stack.subject.pid, stack.subject.tid)
    }
    given_up = incident.of(CollectiveTimeout, WatchdogFired)
    dumps: dict[tuple[str, int | None], list[NativeStack]] = defaultdict(list)
    for stack in incident.of(NativeStack):
        dumps[stack.source.file, stack.subject.pid].append(stack)
    _join_threads(dumps)
    every = [stack for stacks in dumps.values() for stack in stacks]
    yield from _destructors(incident, every, [stack for stack in every if wants_gil(stack)])
    for (_, pid), stacks in dumps.items():
        wanting = [stack for stack in stacks if wants_gil(stack)]
        others = [stack for stack in stacks if not wants_gil(stack)] if wanting else []
        running = [stack for stack in others if _any(RUNS_PYTHON, stack.frames)]
        named = not any(map(_lets_go, others)) and all(map(_is_named, others))
        if others and named and _is_whole(stacks) and all(map(_waits, others)):
            note = f"all {len(stacks)} threads wait: {wanting[0].thread} wants the GIL, which one of the others keeps"
            yield Finding(Subject(pid=pid), (wanting[0], *others[:3]), note)
            continue
        for stack in others:
            elsewhere = (pid, stack.subject.tid) in threads or (running == [stack] and _is_named(stack))
            told = (stack.source.file, stack.source.line) in holders or (elsewhere and not _lets_go(stack))
            if _keeps(stack, told, wanting, bool(given_up)):
                note = (
                    f"{stack.thread} waits in {stack.frames[0].function} and keeps the GIL, which "
                    f"{wanting[0].thread} wants"
                )
                yield Finding(Subject(pid=pid), (stack, wanting[0], *given_up[:1]), note)


# gdb_thread1.txt     bt-thread-12.log     gdb_thread_io.txt
OF_THREAD = re.compile(r"(?:^|[^a-z])thread[-_]?\w{0,20}\.\w{2,5}$", re.I)


def _join_threads(dumps: dict[tuple[str, int | None], list[NativeStack]]) -> None:
    """Put together the threads of a process of which each has a file of its own, by the files' names."""
    apart = [key for key, stacks in dumps.items() if len(stacks) == 1 and OF_THREAD.search(key[0])]
    if len(apart) > 1 and len({pid for _, pid in apart} - {None}) < 2:
        dumps[apart[0]] = [dumps.pop(key)[0] for key in apart]


DESTRUCTOR = re.compile(r"(?:^|[\s:<(])(?P<owner>[A-Za-z_]\w{2,80})(?:<[^<>]{0,200}>)?::~(?P=owner)\b")
PYTHON_DROPS = re.compile(
    r"\b(?:subtype_dealloc|_?Py_Dealloc|tupledealloc|list_dealloc|dict_dealloc|frame_dealloc|cell_dealloc)\b"
    r"|::dealloc\(|_dealloc\b"
)


def _destructors(
    incident: Incident, stacks: Sequence[NativeStack], wanting: Sequence[NativeStack]
) -> Iterator[Finding]:
    """Each destructor below a release of a Python object that waits while a thread of its object wants the GIL."""
    for stack in stacks:
        names = native_names(stack, 12)
        owner = next((found["owner"] for name in names if (found := DESTRUCTOR.search(name))), None)
        drops = any(PYTHON_DROPS.search(frame.function) for frame in stack.frames)
        if owner is None or not drops or _lets_go(stack) or not any(WAITS.search(name) for name in names[:3]):
            continue
        for other in wanting:
            member = re.compile(rf"\b{re.escape(owner)}(?:<[^<>]{{0,200}}>)?::(?!~)")
            same = incident.links.may_be_one(stack, other)
            if other is not stack and same and any(member.search(frame.function) for frame in other.frames):
                note = f"the destructor of {owner} waits and keeps the GIL, which {other.thread} of its own wants"
                yield Finding(Subject(pid=stack.subject.pid), (stack, other), note)
                break


def _lets_go(stack: NativeStack) -> bool:
    names = [frame.function for frame in stack.frames]
    return any(_base(name) in LETS_GO or "gil_scoped_release" in name for name in names)


def _is_whole(stacks: Sequence[NativeStack]) -> bool:
    """True where the threads of a dump are numbered from the first to the last, none left out."""
    numbers = sorted(number for stack in stacks if (number := whole_number(stack.thread.removeprefix("Thread "))))
    return numbers == list(range(1, len(stacks) + 1))


def _waits(stack: NativeStack) -> bool:
    return any(WAITS.search(name) for name in native_names(stack, 4))


def _is_named(stack: NativeStack) -> bool:
    """True where each frame inside of the innermost Python function has a name: one without may let go of the GIL."""
    names = [frame.function for frame in stack.frames]
    inside = next((place for place, name in enumerate(names) if RUNS_PYTHON.search(name)), len(names))
    return not any(name.startswith(("??", "0x")) for name in names[:inside])


def _waits_from_c(stack: NativeStack) -> bool:
    """True where a named C function waits for a lock of Python's; one without a name may be what lets go of the GIL."""
    names = [_base(name) for name in native_names(stack, 12)]
    called = [place for place, name in enumerate(names[:-1]) if name in PYTHON_LOCK]
    caller = names[called[-1] + 1] if called else ""
    return bool(NAMED.match(caller)) and not RUNS_PYTHON.search(caller) and not _lets_go(stack)


def _base(name: str) -> str:
    """A function's name without what the compiler adds to its clones: acquire_timed.isra.0 -> acquire_timed."""
    return name.split(".", 1)[0]


def _any(pattern: re.Pattern[str], frames: Sequence[Frame]) -> bool:
    return any(pattern.search(frame.function) for frame in frames)


def _keeps(stack: NativeStack, told: bool, wanting: Sequence[NativeStack], given_up: bool) -> bool:
    names = native_names(stack, 10)
    if _waits_from_c(stack):
        return True
    if not told:
        return False
    late = given_up or any(_any(TIME_IS_UP, each.frames) for each in wanting)
    return any(WAITS.search(name) or SLEEPS.match(name) for name in names[:4]) or (
        late and any(DRIVER.match(name) for name in names[:6])
    )


SYMPTOM = Symptom(
    title="a thread waits and keeps Python's global lock",
    rule=rule,
    leak=0.0005,
    because="code that waits lets go of the lock first; that it is seen not to, with another thread at the door, is "
    "no chance",
    command="py-spy dump --native --pid JOB_PID; gdb -p JOB_PID -batch -ex 'thread apply all bt'",
    cost_minutes=2,
)
