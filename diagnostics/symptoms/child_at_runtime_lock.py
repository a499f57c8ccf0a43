"""A C stack ends in a lock or a team of threads of a runtime, in a process with nobody who could release or serve it.

The only thread of a process waits for a native lock or for a team (OpenMP, rayon, Eigen). Or the innermost frames are
one of libc's own locks, and no other thread of the process is at a mutex. Or a lock of a runtime (OpenMP, BLAS, an
allocator) is waited for in a loader's worker, in the middle of a fork, or in the one stack that was taken of a process
in a job that forks. Or the only thread of a child waits for a lock of Python's making by which an extension (h5py's,
fastrlock's, a buffered stream's) guards its calls, or for one that a library has made of a condition. Or a thread waits
for another one (to end it, for its signal) in the middle of a fork, or below a library's own handler of a fork in the
child.

By Python stacks: several threads of a process idle at one line of a library's that only calculates (a TLS context, a
digest), and all the others are in waits by their names, so that no thread of the process is inside of the library
with the lock.

Never ABSENT: a stack elsewhere tells nothing of the other children.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..evidence import Subject
from ..evidence.process import NativeStack, PythonStack
from ..incident import Incident
from ..links import Process
from ._symptom import Finding, Symptom
from ._waits import (
    MUTEX_WAITS,
    READ_WAITS,
    WORKER_FRAMES,
    at_mutex,
    idles_at_a_librarys_lock,
    in_library,
    is_forked,
    is_worker,
    name_of,
    native_names,
    takes_lock,
)

LIBC_LOCKS = frozenset(
    "__lll_lock_wait_private __internal_atexit __cxa_atexit __GI___cxa_atexit arena_get2 ptmalloc_lock_all "
    "_IO_lock_lock "
    "__libc_fork_lock dl_iterate_phdr __tls_get_addr_slow _dl_fini".split()
)
# a mutex, OpenMP's own wait for one, or the lock of an allocator
LOCKED = (
    *MUTEX_WAITS,
    "futex_wait",
    "sys_futex",
    "je_malloc_mutex_lock",
    "AbslInternalSpinLockDelay",
    "base::internal::SpinLockDelay",
    "SpinLock::SlowLock",
)
# what these protect is over in microseconds, unless the thread that had it was not copied by fork
RUNTIME_LOCKS = re.compile(
    r"^(?:\w{1,60}::){0,8}(?:__kmp_(?:lock_suspend_mx|acquire_bootstrap_lock|(?:free|allocate|reap)_thread"
    r"|register_root|\w{1,20}_initialize)"
    r"|gomp_(?:mutex_lock_slow|team_end|free_\w{1,30}|init_\w{1,30})"
    r"|blas_(?:memory_(?:alloc|free)|thread_(?:init|shutdown)\w{0,8}|set_num_threads)|exec_blas(?:_async)?"
    "|goto_set_num_threads"
    r"|(?:je_)?malloc_mutex_lock\w{0,10}|malloc_init_hard|(?:__GI_+|__)?libc_(?:m|c|re)alloc|_int_(?:malloc|free)"
    r"|SpinLock::SlowLock|mkl_serv_\w{0,20}lock|gpr_mu_lock|_dl_\w{1,20}|__tz_convert|__vsyslog\w{0,12})$"
)
FORKS = re.compile(
    r"^(?:(?:__GI_)?_{0,2}(?:libc_)?v?fork|_Fork|subprocess_fork_exec"
    r"|_{0,2}run_(?:pre|post)?fork_handlers|\w{1,30}_at_?fork_\w{1,20}|PyOS_(?:BeforeFork|AfterFork_Parent))$"
)
# pthread_join      __pthread_clockjoin_ex      __new_sem_wait_slow64      pthread_cond_wait@@GLIBC_2.3.2
FOR_THREADS = re.compile(
    r"^_{0,3}(?:GI_{1,3})?(?:pthread_(?:join|(?:timed|clock)join_ex|cond_\w{0,10}wait\w{0,20}|barrier_wait)"
    r"|(?:new_)?sem_\w{0,8}wait\w{0,10}|do_futex_wait)(?=$|@|\.)"
)
LOADS = re.compile(r"^(?:__GI_)?_*(?:call_init|dl_open(?:_worker\w{0,8})?|dlopen\w{0,20})(?=$|@|\s|\.)")
POLLS = re.compile(r"(?:^|_)(?:poll|select|epoll_wait|waitpid|wait4|read|recv)(?:$|_)")
TEAM_WAITS = (
    "gomp_team_start",
    "gomp_barrier_wait",
    "gomp_team_barrier_wait",
    "do_spin",
    "rayon_core::registry::Registry::in_worker_cold",
    "rayon_core::latch::LockLatch",
    "Eigen::Barrier::Wait",
    "tensorflow::DirectSession::WaitForNotification",
    "__kmp_fork_barrier",
    "__kmp_join_barrier",
)
# grpc_postfork_child     je_jemalloc_postfork_child     PyOS_AfterFork_Child
AFTER_FORK = re.compile(r"^(?:\w{1,40}_)?(?:post_?fork|at_?fork|after_?fork)_?child(?:_\w{1,20})?$", re.I)
# what extensions and Python's own modules in C guard their calls with
OF_PYTHONS_MAKING = re.compile(r"^(?:PyThread_acquire_lock(?:_timed)?|_?PyMutex_Lock(?:Timed)?)(?:\.\w{1,20}){0,2}$")
# __pyx_f_4h5py_8_objects_8FastRLock_acquire      _enter_buffered_busy (of sys.stdout)      _PyImport_AcquireLock
GUARDED = re.compile(r"^(?:__pyx_\w{1,200}|_enter_buffered_busy|_?PyImport_AcquireLock)(?:\.\w{1,20}){0,2}$")
# a lock that a library has made of a condition:  H5TS_mutex_lock      QReadWriteLock::lockForWrite
ON_CONDITION = re.compile(r"^_{0,3}(?:GI_{1,3})?pthread_cond_wait(?=$|@|\.)")
NAMES_LOCK = re.compile(
    r"(?:(?:^|[_:])(?:mutex|(?:rw)?lock)|(?:^|[_:a-z])(?<!Un)(?:Mutex|(?:R[Ww])?Lock))(?=$|[_:A-Z])"
)
OF_PYTHON = ("libpython", "python", "libc.", "libc-", "libpthread", "_queue.", "_thread.")
FOR_OTHERS = ("pthread_cond_wait", "__pthread_cond_wait", "___pthread_cond_wait", "futex_wait", *MUTEX_WAITS)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each such stack, by the sign that shows it."""
    for native in _at_libcs_locks(incident):
        note = f"a process is inside {native_names(native, 1)[0]}, at one of libc's own locks"
        yield Finding(Subject(pid=native.subject.pid), (native,), note)
    for native in _only_threads(incident):
        whose = native.subject.pid or "a process"
        note = f"the only thread of {whose} waits for a lock or a team: nobody else is in it"
        yield Finding(Subject(pid=native.subject.pid), (native,), note)
    for native in _at_runtime_locks(incident):
        name = next(name for name in native_names(native, 6) if RUNTIME_LOCKS.match(name))
        note = f"a process of a job that forks waits for a lock in {name}"
        yield Finding(Subject(pid=native.subject.pid), (native,), note)
    for native in _inside_a_fork(incident):
        note = f"a process waits in {native.frames[0].function}, in the middle of a fork"
        yield Finding(Subject(pid=native.subject.pid), (native,), note)
    for native in _after_a_fork(incident):
        note = "a child waits inside of what a library does after a fork, for threads that were not copied"
        yield Finding(Subject(pid=native.subject.pid), (native,), note)
    for stacks in _at_one_door(incident):
        inner = stacks[0].frames[0]
        note = f"{len(stacks)} threads idle in {name_of(inner)} ({inner.file}:{inner.line}), and none is inside of it"
        yield Finding(Subject(pid=stacks[0].subject.pid), tuple(stacks[:4]), note)


def _at_one_door(incident: Incident) -> Iterator[list[PythonStack]]:
    """Threads of one process at one lock of a library's that no thread of the process can have."""
    dumps: dict[tuple[str, int | None], list[PythonStack]] = defaultdict(list)
    for stack in incident.of(PythonStack):
        dumps[stack.source.file, stack.subject.pid].append(stack)
    for stacks in dumps.values():
        at = [stack for stack in stacks if idles_at_a_librarys_lock(stack)]
        threads = {stack.subject.tid or stack.thread for stack in at}
        places = {(name_of(stack.frames[0]), stack.frames[0].file, stack.frames[0].line) for stack in at}
        others = (stack for stack in stacks if stack not in at)
        if len(threads) > 1 and len(places) == 1 and all(map(_waits_by_name, others)):
            yield at


def _waits_by_name(stack: PythonStack) -> bool:
    """True for a thread that idles in a wait of the standard library's, and so holds no lock below Python."""
    idle = bool(stack.frames) and not (stack.active or stack.crashed or stack.interrupted)
    return idle and in_library(stack.frames[0]) and not takes_lock(stack)


def _at_libcs_locks(incident: Incident) -> Iterator[NativeStack]:
    """Threads at a lock of libc's that no other thread of their process can be at."""
    for native in incident.of(NativeStack):
        locked = any(name in LIBC_LOCKS for name in native_names(native, 4))
        if locked and not _loads(native) and not _has_rival(incident, native):
            yield native


def _loads(native: NativeStack) -> bool:
    """True for a thread that is itself in the middle of loading a library, and may wait for what it holds."""
    return any(LOADS.match(frame.function) for frame in native.frames)


def _has_rival(incident: Incident, native: NativeStack) -> bool:
    """True where another thread of the process waits for a mutex too: they may hold what each other wants."""
    others = [
        each for each in incident.of(NativeStack) if each is not native and each.source.file == native.source.file
    ]
    same = [each for each in others if each.subject.pid == native.subject.pid]
    if any(each.alone for each in (native, *same)):
        return False  # the one thread that there is, twice
    return any(name.startswith(LOCKED) for each in same for name in native_names(each, 4))


def _inside_a_fork(incident: Incident) -> Iterator[NativeStack]:
    """Threads that wait for another one in what a library does at a fork: nothing else runs in it."""
    for native in incident.of(NativeStack):
        names = [frame.function for frame in native.frames]
        waits = next((place for place, name in enumerate(names[:4]) if FOR_THREADS.match(name)), None)
        forks = next((place for place, name in enumerate(names) if FORKS.match(name)), None)
        if waits is not None and forks is not None and waits + 1 < forks:
            yield native


def _after_a_fork(incident: Incident) -> Iterator[NativeStack]:
    """Stacks that wait for another thread below a library's own handler of a fork in the child."""
    for native in incident.of(NativeStack):
        waits = any(name.startswith(FOR_OTHERS) for name in native_names(native, 3))
        if waits and any(AFTER_FORK.match(frame.function.rpartition("::")[2]) for frame in native.frames):
            yield native


def _only_threads(incident: Incident) -> Iterator[NativeStack]:
    """Threads that wait for others of their process where a listing shows that there are none; a lone `bt` is no
    listing.
    """
    stacks = incident.of(NativeStack)
    for native in stacks:
        process = incident.links.process_of(native) or _process_of_its_file(incident, native, stacks)
        helps = process is not None and (is_worker(process) or is_forked(process))
        single = helps and sum(each.subject.pid == native.subject.pid for each in stacks) == 1
        alone = native.alone or single or (process is not None and any(state.threads == 1 for state in process.states))
        alone = alone or _is_listed_alone(native, stacks)
        alone = alone or any(each.alone and each.subject.tid == native.subject.pid is not None for each in stacks)
        names = native_names(native, 5)
        locked = at_mutex(native, 2) or any(name.startswith(READ_WAITS) for name in names[:3])
        locked = locked or (
            (_at_an_extensions_lock(native) or _at_a_made_lock(names)) and (helps or _forks(incident, native, stacks))
        )
        if alone and (locked or any(name.startswith(TEAM_WAITS) for name in names) or _is_inside_openmp(native)):
            yield native


def _at_an_extensions_lock(native: NativeStack) -> bool:
    """True below a call of an extension's own; a lock that Python code takes may have a limit, as `Event.wait(5)`."""
    frames = native.frames[:12]
    at = [place for place, frame in enumerate(frames[:10]) if OF_PYTHONS_MAKING.match(frame.function)]
    taker = frames[at[-1] + 1] if at and at[-1] + 1 < len(frames) else None
    if taker is None:
        return False
    library = (taker.module or "").rpartition("/")[2]
    return (library != "" and not library.startswith(OF_PYTHON)) or GUARDED.match(taker.function) is not None


def _at_a_made_lock(names: Sequence[str]) -> bool:
    """True where a call that takes a lock by its name waits for a condition without a limit."""
    at = next((place for place, name in enumerate(names[:3]) if ON_CONDITION.match(name)), None)
    return at is not None and any(map(NAMES_LOCK.search, names[at + 1 : at + 2]))


def _process_of_its_file(incident: Incident, native: NativeStack, stacks: Sequence[NativeStack]) -> Process | None:
    """The one process of the table that a dump of a single stack is named after: gdb_child_16377.txt."""
    numbers = {int(digits) for digits in re.findall(r"(?<!\d)\d{2,10}(?!\d)", native.source.file)}
    machine, processes = incident.links.machines.of(native), incident.links.processes
    named = [processes[machine, number] for number in numbers if (machine, number) in processes]
    return named[0] if len(named) == 1 and _is_alone(native, stacks) else None


def _is_listed_alone(native: NativeStack, stacks: Sequence[NativeStack]) -> bool:
    """True for the stack of its file that another file's list of threads shows, in the same function, as the only
    one.
    """
    if native.subject.pid is not None or not _is_alone(native, stacks):
        return False
    lists = [each for each in stacks if each.alone and len(each.frames) == 1 and each.source.file != native.source.file]
    return len(lists) == 1 and lists[0].frames[0].function == native.frames[0].function


def _is_inside_openmp(native: NativeStack) -> bool:
    """True where a thread stands in OpenMP's own code below a parallel part: a team of one runs the job's at once."""
    names = native_names(native, 5)
    own = native.frames[0].function.startswith("??") and (native.frames[0].module or "").startswith(
        ("libgomp", "libiomp", "libomp")
    )
    return own and any(name.startswith(("GOMP_parallel", "__kmpc_fork_call")) for name in names)


def _at_runtime_locks(incident: Incident) -> Iterator[NativeStack]:
    """A worker at a runtime's own lock, a thread at one in the middle of a fork, or the only stack of its dump where
    another process is its parent or polls for it.
    """
    stacks = incident.of(NativeStack)
    for native in stacks:
        names = native_names(native, 6)
        locked = any(name.startswith(LOCKED) for name in names[:3]) and any(map(RUNTIME_LOCKS.match, names))
        named = (native.subject.comm or "").startswith("pt_data_worker")
        serves = named or any(name_of(frame) in WORKER_FRAMES for frame in native.frames)
        forking = any(FORKS.match(frame.function) for frame in native.frames)
        if locked and (serves or forking or (_is_alone(native, stacks) and _forks(incident, native, stacks))):
            yield native


def _is_alone(native: NativeStack, stacks: Sequence[NativeStack]) -> bool:
    return sum(each.source.file == native.source.file for each in stacks) == 1


def _forks(incident: Incident, native: NativeStack, stacks: Sequence[NativeStack]) -> bool:
    """True where the process table has children, or another dump's thread waits as a parent does."""
    others = [each for each in stacks if each.source.file != native.source.file]
    return bool(incident.links.children) or any(POLLS.search(each.frames[0].function) for each in others)


SYMPTOM = Symptom(
    title="a child waits for a runtime's lock or threads that it has not",
    rule=rule,
    leak=0.0005,
    because="these locks are held for microseconds and teams answer at once, unless the holder was not copied by fork",
    command="gdb -p WORKER -batch -ex 'info threads' -ex 'thread apply all bt'",
    cost_minutes=2,
)
