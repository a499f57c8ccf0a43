"""Two threads of one process both wait for locks below user code, and nobody in it works.

Or one of them idles at the door of a function that the other, itself waiting for a result, is inside of; or it idles
on a futex at a line of a method, and the other waits for a result inside of another method of that class; or all the
threads of a pool wait for results of what waits for a thread of the pool; or one waits for another in the middle of an
import, and that one for the lock of a module; or a single thread waits for a lock which the code that a destructor
or a signal has interrupted in it holds: taken by name, or at a line above the one that was interrupted. A handler that
is on a futex at a line of its own, above code of its file or above itself, waits so where no other thread is at work.

By Python stacks with the kernel's word that both are on futexes (or frames that take a lock by name, or the lines of
code of two that take two locks while no third is at work). By C stacks,
where one thread wants the GIL and another, which may hold it, wants a native mutex; or each of two waits for a lock of
what the other is inside of (the dynamic loader, an allocator, a logger, a driver); or the first wants the GIL inside
of a native function, and another that has the GIL waits at that function's door; or all that are shown want mutexes.

Threads idle at a queue, a condition or a sleep do not count. ABSENT where the stacks of several threads of a process
were taken, each of them computes or is in a wait that is known by its name, and none wants the GIL.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, dropwhile, repeat

from ..evidence import Subject
from ..evidence.process import Frame, NativeStack, PythonStack
from ..incident import Incident
from ..links import Process
from ._symptom import Finding, Symptom
from ._waits import (
    MUTEX_WAITS,
    PLUMBING,
    at_mutex,
    compiles_natively,
    dumps,
    in_library,
    innermost_own,
    is_worker,
    name_of,
    native_names,
    on_futex,
    takes_lock,
    tells_its_wait,
    wait_channels,
    waits_for_module,
    wants_gil,
)

IMPORTS = ("_call_with_frames_removed", "_find_and_load", "_find_and_load_unlocked", "exec_module", "_load_unlocked")
POOL_THREAD = re.compile(r"^(?:ThreadPoolExecutor-\d|ThreadPool)")
POOL_LOOP = "concurrent/futures/thread.py"
POOL_NUMBER = re.compile(r"[-_]?\d+$")
PROCESS_POOLS = (
    "concurrent/futures/process.py",
    "multiprocessing/pool.py",
    "multiprocess/pool.py",
    "loky/process_executor.py",
)
INTERRUPTS = ("__del__", "_removeHandlerRef", "_remove", "callback", "_cleanup", "signal_handler", "handler")
# what no line of the code below it has called: __del__, on_sigterm, handle_signal, _finalize, gc_callback
UNCALLED = re.compile(
    r"^(?:__del__|_removeHandlerRef|_?finali[sz]er?|gc_callback|on_gc"
    r"|(?:\w{1,30}_)?(?:signal|sig(?:term|int|usr[12]|hup|chld|alrm|quit))"
    r"(?:_\w{1,30})?)$"
)
# acquire_cache, _state_lock, take_lock: a function of the job's that takes a lock, caught idle in it
NAMED = re.compile(r"^[A-Za-z_]\w{5,}$")
LOCKS = re.compile(r"(?:^|_)(?:acquire|lock|locked|mutex)(?:$|_)", re.I)

# with self._lock:     with self.tqdm_cls.get_lock():     self._state_lock.acquire()
_LOCK = r"[\w.]{0,160}?(?:(?<![A-Za-z])r?lock|mutex)\w{0,40}(?:\(\))?"
TAKES = re.compile(rf"^(?:with )?(?P<lock>{_LOCK})(?:(?: as \w{{1,40}})?:|\.acquire\()", re.I)
# SpinLock::SlowLock      base::internal::SpinLockDelay      sys_futex      absl::Mutex::Lock
SPINS = re.compile(
    r"SpinLock(?:Holder|Delay)?\b|^(?:sys_)?futex\w{0,12}$|^syscall$|^absl::\w{0,20}::?Mutex|^pthread_spin_lock$"
    "|^futex_wait"
)
NESTED = 3  # times at one line, one in the other
MANY = 100  # threads at locks, of which all pairs are looked at
OWNERS = (
    ("the dynamic loader", re.compile(r"^(?:__GI_+)?_*(?:dl_|dlopen|dlclose|dlsym|dladdr|tls_get_addr|rtld)")),
    (
        "the allocator",
        re.compile(r"^(?:tcmalloc::|je_|jemalloc|mi_|tc_(?:malloc|free|new|delete|calloc|realloc)|malloc\w{0,20}$"
            "|__libc_(?:m|c|re)alloc|_int_(?:malloc|free)|arena_|ptmalloc)"),
    ),
    ("the logger", re.compile("^(?:google::Log|glog|spdlog::|fmt::|boost::log::|c10::MessageLogger"
        "|absl::log_internal)")),
    ("the GPU driver", re.compile(r"^(?:cu[A-Z]\w{2,40}$|cuda[A-Z]|hip[A-Z]|libcuda|acl[rt]|nccl[A-Z])")),
    ("standard streams", re.compile(r"^(?:_IO_|__?fork_lock|flockfile|__overflow|vfprintf|__vfprintf)")),
)  # fmt: skip


def rule(incident: Incident) -> Iterator[Finding]:
    """Each process with two such threads; else those that were looked at."""
    signs = [*_in_python(incident), *_at_imports(incident), *_starved(incident), *_native(incident)]
    yield from signs
    looked = [stack for _, stacks in _by_process(incident) if _is_witness(stacks) for stack in stacks[:4]]
    if looked and not signs and not any(map(wants_gil, incident.of(NativeStack))):
        yield Finding(Subject(), tuple(looked[:8]), "no two threads wait for each other", present=False)


def _in_python(incident: Incident) -> Iterator[Finding]:
    """Threads of one process at locks, at one door, or inside of what they wait for."""
    for process, stacks in _by_process(incident):
        waiting = [stack for stack in stacks if _waits_for_lock(process, stack)]
        if len({stack.subject.tid for stack in waiting}) > 1 and not any(stack.active for stack in stacks):
            names = " and ".join(dict.fromkeys(stack.thread for stack in waiting))
            pid = process.pid if process else None
            yield Finding(Subject(pid=pid), tuple(waiting), f"{names} of {pid or 'one process'} both wait for locks")
        else:
            yield from _at_two_lines(process, stacks)
        for stack in stacks:
            if _is_handler_at_lock(process, stack) and not any(map(_may_hold, stacks, repeat(stack))):
                note = (
                    f"{stack.thread} waits for a lock in {stack.frames[0].function}, a handler whose lock nobody "
                    "else can hold"
                )
                yield Finding(Subject(pid=stack.subject.pid), (stack,), note)
            elif _waits_for_itself(stack) or _is_interrupted_inside(process, stack):
                where = stack.frames[1 if takes_lock(stack) else 0].function
                note = f"{stack.thread} waits for a lock in {where}, which it is inside of already"
                yield Finding(Subject(pid=stack.subject.pid), (stack,), note)
        for first, second in _in_one_class(process, stacks):
            inner = second.frames[0].function
            note = f"{first.thread} waits inside a method of the class for whose lock {second.thread} waits in {inner}"
            yield Finding(Subject(pid=first.subject.pid), (first, second), note)
        for first, second in _at_one_door(stacks):
            name = name_of(second.frames[0])
            note = f"{first.thread} waits inside {name}, at whose door {second.thread} stands"
            yield Finding(Subject(pid=first.subject.pid), (first, second), note)


def _at_two_lines(process: Process | None, stacks: Sequence[PythonStack]) -> Iterator[Finding]:
    """Two threads whose lines of code take two locks, where no other thread may hold either."""
    at = [(stack, found) for stack in stacks if (found := TAKES.match(stack.code or "")) and stack.frames]
    for (first, wants), (second, other) in combinations(at[:MANY], 2):
        here, there = first.frames[0], second.frames[0]
        alike = (here.file, wants["lock"]) == (there.file, other["lock"])
        pair = (first, second)
        seen = [wait_channels(process, stack.subject.tid) if process else set() for stack in pair]
        away = any(channels and not any(map(on_futex, channels)) for channels in seen)
        busy = any(stack.active or stack.crashed for stack in pair)
        held = any(_may_hold(stack, first) for stack in stacks if stack not in pair)
        if not (alike or away or busy or held):
            note = " and ".join(f"{stack.thread} at `{stack.code}` of {stack.frames[0].file}" for stack in pair)
            yield Finding(Subject(pid=process.pid if process else None), pair, note)


def _by_process(incident: Incident) -> Iterator[tuple[Process | None, list[PythonStack]]]:
    """The stacks of each process; a debugger's dump that names no process is one process too."""
    for process in incident.links.with_python:
        if not is_worker(process):
            yield process, process.stacks
    nameless: dict[str, list[PythonStack]] = defaultdict(list)
    for stack in incident.of(PythonStack):
        if stack.subject.pid is None and stack.subject.tid is not None:
            nameless[stack.source.file].append(stack)
    yield from ((None, stacks) for stacks in nameless.values())


def _is_witness(stacks: Sequence[PythonStack]) -> bool:
    """True for several threads of which each tells what it does: one that idles in its own line may be at a lock."""
    return len(stacks) > 1 and all(tells_its_wait(stack) or stack.crashed for stack in stacks if stack.frames)


def _waits_for_itself(stack: PythonStack) -> bool:
    """True where a destructor or a callback of the collector's takes a lock that the code it interrupted holds."""
    if stack.active or stack.crashed or not takes_lock(stack) or len(stack.frames) < 4:
        return False
    taker = (name_of(stack.frames[1]), stack.frames[1].file)
    again = [place for place, each in enumerate(stack.frames) if place > 1 and (name_of(each), each.file) == taker]
    between = stack.frames[2 : again[0]] if again else ()
    return any(name_of(each) in INTERRUPTS or UNCALLED.match(name_of(each)) for each in between)


def _is_interrupted_inside(process: Process | None, stack: PythonStack) -> bool:
    """True where a thread idles at an earlier line of a function than the one at which a destructor has interrupted it.

    A lock that is no more than a line of the job's has no frame: it was taken above the line that was interrupted.
    """
    inner = innermost_own(stack)
    if stack.active or stack.crashed or stack.interrupted or inner is None or name_of(inner) in PLUMBING:
        return False
    channels = wait_channels(process, stack.subject.tid) if process else set()
    again = [
        place
        for place, each in enumerate(stack.frames)
        if place and (name_of(each), each.file) == (name_of(inner), inner.file)
    ]
    between = stack.frames[1 : again[0]] if again else ()
    later = again and (inner.line or 0) < (stack.frames[again[0]].line or 0)
    return (
        bool(later)
        and any(UNCALLED.match(name_of(f)) for f in between)
        and (not channels or any(map(on_futex, channels)))
    )


def _is_handler_at_lock(process: Process | None, stack: PythonStack) -> bool:
    """True where a thread idles on a futex at a line of a handler which has interrupted itself there, or its own file's
    code.

    What calls itself does so at another line than the one at which it takes a lock; a handler that waits is entered
    again at the very line, whatever its name. One that was entered once or twice is known by the names that they have.
    """
    inner = innermost_own(stack)
    if stack.active or stack.crashed or inner is None or in_library(inner) or inner.line is None:
        return False
    place = (inner.function, inner.file, inner.line)
    below = list(dropwhile(lambda frame: (frame.function, frame.file, frame.line) == place, stack.frames))
    channels = wait_channels(process, stack.subject.tid) if process else set()
    beside = bool(below) and below[0].file == inner.file and below[0].function != "<module>"
    entered = len(stack.frames) - len(below)
    is_handler = entered >= NESTED or (beside and bool(UNCALLED.match(name_of(inner))))
    return is_handler and bool(channels) and all(map(on_futex, channels))


def _may_hold(other: PythonStack, waiting: PythonStack) -> bool:
    """True for another thread that is at work, or in something else than a wait of the standard library."""
    known = other.thread == waiting.thread or not other.frames
    return not known and (bool(other.active) or innermost_own(other) is not None)


def _at_one_door(stacks: Sequence[PythonStack]) -> Iterator[tuple[PythonStack, PythonStack]]:
    """Pairs in which the first waits for somebody's result inside a function whose lock the second wants."""
    idle = [stack for stack in stacks if stack.frames and not stack.active and not stack.crashed]
    for first in idle:
        if innermost_own(first) is not None or takes_lock(first):
            continue
        inside = {(name_of(frame), frame.file) for frame in first.frames[1:]}
        for second in idle:
            door = innermost_own(second)
            is_door = door is not None and name_of(door) not in PLUMBING
            if second.thread != first.thread and door and is_door and (name_of(door), door.file) in inside:
                yield first, second


def _in_one_class(process: Process | None, stacks: Sequence[PythonStack]) -> Iterator[tuple[PythonStack, PythonStack]]:
    """Pairs in which the first waits for somebody inside a method, and the second on a futex at a line of another
    method of that class, while nobody in the process works.

    A lock that a `with` takes has no frame: only the kernel tells that the line waits for one.
    """
    idle = [stack for stack in stacks if stack.frames and not stack.active and not stack.crashed]
    if len(idle) < len(stacks) or process is None:
        return
    for second in idle:
        inner = innermost_own(second)
        owner = _class_of(inner) if inner else None
        channels = wait_channels(process, second.subject.tid)
        if inner is None or owner is None or not channels or not all(map(on_futex, channels)):
            continue
        for first in idle:
            if first.thread != second.thread and innermost_own(first) is None:
                others = [f for f in first.frames if f.file == inner.file and _class_of(f) == owner]
                if others and inner.function not in [frame.function for frame in others]:
                    yield first, second


def _class_of(frame: Frame) -> str | None:
    """The class of a method, from its qualified name: Metrics of Metrics.add."""
    owner, _, name = frame.function.rpartition(".")
    return owner if owner and name and not owner.endswith("<locals>") else None


def _waits_for_lock(process: Process | None, stack: PythonStack) -> bool:
    if stack.active or stack.crashed or innermost_own(stack) is None:
        return False
    channels = wait_channels(process, stack.subject.tid) if process else set()
    return any(on_futex(channel) for channel in channels) or (_locks(stack) and not channels)


def _locks(stack: PythonStack) -> bool:
    """True where the innermost frame takes a lock, by its name or by that of the user's function."""
    return takes_lock(stack) or bool(LOCKS.search(name_of(stack.frames[0])))


def _native(incident: Incident) -> Iterator[Finding]:
    stacks = incident.of(NativeStack)
    for_gil = [s for s in stacks if wants_gil(s)]
    for_mutex = [s for s in stacks if at_mutex(s) and s not in for_gil]
    pairs = [(s, g) for s in for_mutex for g in for_gil if incident.links.may_be_one(s, g)]
    for mutex, gil in pairs[:1]:
        note = "one thread wants a native mutex, another wants the GIL"
        yield Finding(Subject(pid=mutex.subject.pid), (mutex, gil), note)
    yield from _all_at_mutexes(incident)
    yield from _crosswise(incident)
    holders = {(stack.source.file, stack.source.line) for stack in incident.of(PythonStack) if stack.holds_gil}
    for holder in (stack for stack in stacks if (stack.source.file, stack.source.line) in holders):
        door = holder.frames[0].function if holder.frames else ""
        for inside in for_gil:
            within = door in [frame.function for frame in inside.frames[1:]]
            if within and inside.subject.pid == holder.subject.pid and NAMED.match(door):
                note = f"{inside.thread} wants the GIL inside of {door}; {holder.thread} has it and waits for {door}"
                yield Finding(Subject(pid=holder.subject.pid), (holder, inside), note)


def _all_at_mutexes(incident: Incident) -> Iterator[Finding]:
    """Dumps of two threads or more in which every one waits for a native mutex: whoever has them waits too."""
    for threads in dumps(incident):
        at = [stack for stack in threads if at_mutex(stack) and not wants_gil(stack)]
        listed = any(stack.alone for stack in threads)  # the one thread that there is, twice
        if len(at) == len(threads) > 1 and not listed and not any(map(compiles_natively, threads)):
            note = f"all {len(threads)} threads wait for native mutexes"
            yield Finding(Subject(pid=threads[0].subject.pid), tuple(threads[:4]), note)


def _crosswise(incident: Incident) -> Iterator[Finding]:
    """Pairs of which each waits for a lock of what the other is inside of."""
    waiting = [stack for stack in incident.of(NativeStack) if at_lock(stack) and not wants_gil(stack)]
    for first, second in combinations(waiting[:MANY], 2):
        pids = {first.subject.pid, second.subject.pid}
        one_dump = first.source.file == second.source.file
        apart = first.alone or second.alone if one_dump else len(pids - {None}) > 1
        wants, other_wants = _wanted(first), _wanted(second)
        if apart or not wants or not other_wants or wants == other_wants:
            continue
        if wants in _inside(second) and other_wants in _inside(first):
            note = f"one thread is inside of {other_wants} and wants a lock of {wants}, another the other way round"
            yield Finding(Subject(pid=first.subject.pid), (first, second), note)


def at_lock(stack: NativeStack) -> bool:
    """True where a thread's innermost frames wait for a lock: a mutex, or a spin lock of its own making."""
    return at_mutex(stack) or any(SPINS.search(name) for name in native_names(stack, 3))


def _wanted(stack: NativeStack) -> str | None:
    """Whose lock a thread waits for: of the first frame that is no lock's own."""
    names = [name for name in native_names(stack, 8) if not name.startswith(MUTEX_WAITS) and not SPINS.search(name)]
    return _owner(names[0]) if names else None


def _inside(stack: NativeStack) -> set[str]:
    """What a thread is inside of while it waits, beside what it waits for."""
    names = native_names(stack, 60)
    return {owner for name in names if (owner := _owner(name))} - {_wanted(stack)}


def _owner(function: str) -> str | None:
    return next((owner for owner, names in OWNERS if names.search(function)), None)


def _at_imports(incident: Incident) -> Iterator[Finding]:
    """A thread that waits for another one in the middle of an import, which waits for the lock of a module."""
    for process, stacks in _by_process(incident):
        idle = [stack for stack in stacks if stack.frames and not stack.active and not stack.crashed]
        inside = [s for s in idle if innermost_own(s) is None and any(name_of(f) in IMPORTS for f in s.frames)]
        for second in idle:
            first = next((each for each in inside if each.thread != second.thread), None)
            if first and waits_for_module(second):
                note = f"{first.thread} waits in the middle of an import, {second.thread} for the lock of a module"
                yield Finding(Subject(pid=process.pid if process else None), (first, second), note)


def _starved(incident: Incident) -> Iterator[Finding]:
    """Pools of which every thread waits for a result, where whoever has given them work waits too: in the same
    function, or while no other pool and no thread at work is there from which the results could come.
    """
    for process, stacks in _by_process(incident):
        pool = [stack for stack in stacks if _is_of_a_pool(stack)]
        waiting = [stack for stack in pool if _awaits_result(stack)]
        if len(waiting) < 2 or len(waiting) != len(pool):
            continue
        callers = [stack for stack in stacks if stack not in pool and _awaits_result(stack)]
        inside = {(name_of(f), f.file) for s in waiting for f in _below_result(s)[:1]}
        same = any((name_of(f), f.file) in inside for s in callers for f in _below_result(s)[:1])
        if same or (callers and _is_alone(pool, stacks)):
            note = f"all {len(pool)} threads of the pool wait for results, and nobody is left to work"
            yield Finding(Subject(pid=process.pid if process else None), tuple(pool[:4]), note)


def _is_of_a_pool(stack: PythonStack) -> bool:
    named = POOL_THREAD.match(stack.thread) is not None
    return named or any(name_of(f) == "_worker" and (f.file or "").endswith(POOL_LOOP) for f in stack.frames)


def _below_result(stack: PythonStack) -> tuple[Frame, ...]:
    """The frames of the code that waits for a future's result; none where no result is waited for."""
    at = next((place for place, frame in enumerate(stack.frames[:3]) if name_of(frame) == "result"), None)
    return () if at is None else stack.frames[at + 1 :]


def _awaits_result(stack: PythonStack) -> bool:
    return not stack.active and bool(_below_result(stack))


def _is_alone(pool: Sequence[PythonStack], stacks: Sequence[PythonStack]) -> bool:
    """True where the threads are of one pool, whose tasks only it could do: nobody else is at work or serves."""
    names = {POOL_NUMBER.sub("", stack.thread) for stack in pool}
    others = [stack for stack in stacks if stack not in pool and not _awaits_result(stack)]
    serving = any((frame.file or "").endswith(PROCESS_POOLS) for stack in others for frame in stack.frames)
    return len(names) == 1 and not serving and not any(stack.active for stack in others)


SYMPTOM = Symptom(
    title="threads of one process wait for each other",
    rule=rule,
    leak=0.0005,
    because="a lock is held for moments; two threads caught waiting for locks with nobody at work do not go on",
    command="py-spy dump --nonblocking --pid JOB_PID; for t in /proc/JOB_PID/task/*; do cat $t/wchan; echo; done",
    cost_minutes=1,
)
