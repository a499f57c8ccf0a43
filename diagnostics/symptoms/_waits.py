"""What a thread or process waits in, as the kernel and Python's stacks show it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..evidence import Evidence
from ..evidence.process import Frame, NativeStack, ProcessState, PythonStack, ThreadState
from ..incident import Incident
from ..kernel_waits import CLIENT_WAITS, PAGE_WAITS
from ..links import Process

# a thread that wants a mutex or a lock for writing, by glibc's names and that of the standard library of C++
MUTEX_WAITS = ("__lll_lock_wait", "__GI___lll_lock_wait", "_L_lock", "pthread_mutex_lock", "__pthread_mutex_lock",
               "___pthread_mutex_lock", "__GI___pthread_mutex_lock", "pthread_rwlock_wrlock", "__pthread_rwlock_wrlock",
               "___pthread_rwlock_wrlock", "__GI___pthread_rwlock_wrlock",
               "std::mutex::lock", "__psynch_mutexwait", "_pthread_mutex_firstfit_lock")  # fmt: skip
# locks that libraries build on the futex themselves, as Rust's standard library and parking_lot, Abseil and nsync do
# parking_lot::raw_rwlock::RawRwLock::lock_exclusive_slow      std::sys::sync::mutex::futex::Mutex::lock_contended
# <parking_lot::raw_mutex::RawMutex as lock_api::mutex::RawMutex>::lock      absl::lts_20230802::Mutex::Lock
OWN_MUTEXES = re.compile(
    r"^<?(?:parking_lot::raw_(?:mutex::RawMutex|rwlock::RawRwLock)(?: as lock_api::[\w:]{1,60}>)?::lock\w{0,24}"
    r"|std::sys(?:_common)?::(?:\w{1,20}::){0,4}(?:Mutex::lock\w{0,24}|RwLock::write\w{0,24})"
    r"|absl::(?:\w{1,30}::)?Mutex::Lock|nsync::nsync_mu_lock)(?=$|\(|::h[0-9a-f]{16}$)"
)
# wants to read under a lock that a writer has: of many threads that may be one at work, of a single one it is nobody
READ_WAITS = ("pthread_rwlock_rdlock", "__pthread_rwlock_rdlock", "___pthread_rwlock_rdlock",
              "__GI___pthread_rwlock_rdlock")  # fmt: skip
# calls of cryptographic libraries that neither read nor sleep: whoever idles in one is at a lock of the library's
# SSLContext.__new__ (ssl.py:440)      __init__ (OpenSSL/SSL.py:884)      new (hashlib.py:166)
CALCULATES = re.compile(
    r"(?:^|/)(?:ssl\.py __new__|OpenSSL/SSL\.py __init__|hashlib\.py (?:new|__hash_new|__get_openssl_constructor)"
    r"|cryptography/hazmat/(?:bindings/openssl/binding|backends/openssl/\w{1,30}"
    r"|primitives/(?:hashes|hmac|ciphers/\w{1,20}))\.py \w{1,60})$"
)
LOGGING_LOCKS = ("acquire", "acquireLock", "_acquireLock")
MODULE_LOCKS = ("_get_module_lock", "_lock_unlock_module", "acquire")
FUTEX_WAITS = ("futex_do_wait", "futex_wait", "do_futex", "futex_abstimed", "__futex")
PLUMBING = frozenset(
    "wait wait_for get put poll _poll select recv recv_bytes _recv _recv_bytes accept acquire join _feed _serve "
    "_wait_for_tstate_lock communicate sleep result __enter__ _try_wait".split()
)
LIBRARY = ("threading.py", "queue.py", "queues.py", "selectors.py", "connection.py", "synchronize.py", "socket.py",
           "subprocess.py", "popen_fork.py", "concurrent/futures", "asyncio/")  # fmt: skip
COMPILER_FILES = ("torch/_inductor", "torch/_dynamo", "torch/_functorch", "triton/compiler", "triton/backends",
                  "triton/runtime/build", "jax/_src/compiler", "torch/utils/cpp_extension")  # fmt: skip
# on the stack of everything that is compiled, for as long as it runs
RUNS_COMPILED = ("_dynamo/eval_frame.py", "_dynamo/external_utils.py", "_inductor/output_code.py",
                 "_aot_autograd/runtime_wrappers.py", "_aot_autograd/utils.py")  # fmt: skip
COLLECTIVE_FILES = ("torch/distributed", "deepspeed/comm", "horovod", "megatron/core/parallel")
FUTEX_CUT = ("futex_", "futex", "futex_d", "futex_w", "futex_wa")  # by a narrow column of ps
WANTS_GIL = ("take_gil", "PyEval_AcquireThread", "PyEval_RestoreThread", "PyGILState_Ensure", "gil_scoped_acquire")
EVENT_LOOPS = ("_run_once", "doIteration", "doPoll")
WORKER_FRAMES = ("_worker_loop",)
POOLS = ("multiprocessing/pool.py", "concurrent/futures/process.py", "concurrent/futures/_base.py", "joblib/",
         "multiprocess/pool.py", "loky/", "billiard/pool.py", "multiprocessing/managers.py",
         "multiprocessing/queues.py", "multiprocessing/connection.py", "multiprocessing/synchronize.py")  # fmt: skip
POOL_LOOPS = ("multiprocessing/pool.py", "multiprocess/pool.py", "billiard/pool.py")
POOL_FRAMES = ("worker", "_bootstrap", "_worker_loop", "_process_worker")
SHUTS_DOWN = ("_shutdown_workers", "_terminate_pool", "_join_exited_workers", "_shutdown_worker")
COMPILER_CODE = re.compile(r"\bmlir::|libtriton|\btorch::dynamo\b|compiled_autograd|\bllvm::|torch::inductor")


def name_of(frame: Frame) -> str:
    """The function's bare name, without its class."""
    return frame.function.rpartition(".")[2]


def is_main(stack: PythonStack) -> bool:
    """True for the main thread of a process."""
    return stack.thread == "MainThread" or (
        stack.subject.tid is not None and stack.subject.tid == stack.subject.pid and not stack.thread
    )


def in_worker(stack: PythonStack) -> bool:
    """True in a process that serves a DataLoader."""
    return any(name_of(frame) in WORKER_FRAMES for frame in stack.frames)


def serves_a_pool(stack: PythonStack) -> bool:
    """True in a child of a pool of processes."""
    return any((frame.file or "").endswith(POOL_LOOPS) and name_of(frame) in POOL_FRAMES for frame in stack.frames)


def is_child(stack: PythonStack) -> bool:
    """True in a process that serves another one: a forked child, or one of a pool."""
    return forked(stack) or serves_a_pool(stack)


def tells_its_wait(stack: PythonStack) -> bool:
    """True where a stack shows what its thread is about: it computes, is in a collective, or in a wait by its name.

    One that idles at a line of the job's or of a library's waits in C code, and that may be for anything; what the
    tasks of an event loop await is on no stack.
    """
    if idles_in_event_loop(stack):
        return False
    waits = bool(stack.frames) and in_library(stack.frames[0]) and not takes_lock(stack)
    return bool(stack.active) or in_collective(stack) or waits


def idles_in_event_loop(stack: PythonStack) -> bool:
    """True where a thread idles in the loop of asyncio or Twisted until one of its tasks can go on."""
    still = not (stack.active or stack.crashed or stack.interrupted)
    return still and any(name_of(frame) in EVENT_LOOPS for frame in stack.frames[:4])


def forked(stack: PythonStack) -> bool:
    """True in a child that multiprocessing (or one of its like) has forked: it begins below its parent's frames."""
    places = [(name_of(frame), (frame.file or "").rpartition("/")[2]) for frame in stack.frames]
    begins = [place for place, (name, _) in enumerate(places) if name == "_bootstrap"]
    if any(file in ("popen_fork.py", "forking.py") for place in begins for _, file in places[place + 1 : place + 2]):
        return True
    return ("_launch", "popen_fork.py") in places[1:]  # a parent's launch is over at once


def waits_for_loader(stack: PythonStack) -> bool:
    """True where a thread waits for a batch: of worker processes, or of a queue that another thread fills."""
    names = [name_of(frame) for frame in stack.frames]
    if in_worker(stack):
        return False
    if "_try_get_data" in names[:8] or "_get_data" in names[:6]:
        return True
    if is_main(stack) and any(name_of(f) == "__next__" and "dataloader" in (f.file or "") for f in stack.frames[:2]):
        return True  # with nothing of its own below: a loader of another library
    return is_main(stack) and "get" in names[:3] and in_library(stack.frames[min(names.index("get"), 2)])


def waits_for_helpers(stack: PythonStack) -> bool:
    """True where a main thread waits for processes that it started: a loader's, a pool's, an executor's, a pipe's, or
    one that is to set an event.
    """
    if waits_for_loader(stack):
        return True
    inner = stack.frames[:6]
    waits = bool(inner) and name_of(inner[0]) in PLUMBING and in_library(inner[0])
    ends_them = any(name_of(frame) in SHUTS_DOWN for frame in inner)
    if inner and name_of(inner[0]) == "iflatmap_unordered":  # polls the results of a pool of its own
        return True
    return waits and (ends_them or any(part in (frame.file or "") for frame in inner for part in POOLS))


def waits_for_an_end(stack: PythonStack) -> bool:
    """True where a parent waits until a process that it started ends: a launcher, or the owner of a helper."""
    inner = [(name_of(frame), (frame.file or "").rpartition("/")[2]) for frame in stack.frames[:5]]
    return ("join", "process.py") in inner or ("wait", "popen_fork.py") in inner[:3]


def waits_for_thread(stack: PythonStack) -> bool:
    """True where the innermost frame waits for what another thread of the process does: an event, a queue, a result."""
    inner = stack.frames[0] if stack.frames else None
    return (
        inner is not None
        and name_of(inner) in ("wait", "get", "result")
        and (inner.file or "").endswith(("threading.py", "queue.py", "concurrent/futures/_base.py"))
    )


def in_library(frame: Frame) -> bool:
    """True for a frame of the standard library's waits and pipes."""
    return any(part in (frame.file or "") for part in LIBRARY)


def innermost_own(stack: PythonStack) -> Frame | None:
    """The innermost frame, unless the thread sits in a wait of the standard library."""
    if not stack.frames:
        return None
    first = stack.frames[0]
    return None if name_of(first) in PLUMBING and in_library(first) else first


def takes_lock(stack: PythonStack) -> bool:
    """True where the innermost frame takes a lock by name."""
    return bool(stack.frames) and name_of(stack.frames[0]) in ("acquire", "__enter__", "_acquire_restore")


def idles_at_a_librarys_lock(stack: PythonStack) -> bool:
    """True where a thread idles in a call of a library that only calculates."""
    inner = stack.frames[0] if stack.frames else None
    still = not (stack.active or stack.crashed or stack.interrupted)
    return still and inner is not None and bool(CALCULATES.search(f"{inner.file or ''} {name_of(inner)}"))


def takes_logging_lock(stack: PythonStack) -> bool:
    """True where the innermost frame takes the lock of a handler or of the logging module: held for one line of a
    log.
    """
    inner = stack.frames[0] if stack.frames else None
    return inner is not None and (inner.file or "").endswith("logging/__init__.py") and name_of(inner) in LOGGING_LOCKS


def compiles(stack: PythonStack) -> bool:
    """True where a compiler of kernels is on the stack; being imported, or running what is compiled, is not being at
    work.
    """
    at_work = (frame.file or "" for frame in stack.frames if name_of(frame) != "<module>")
    return any(part in file for file in at_work for part in COMPILER_FILES if not file.endswith(RUNS_COMPILED))


def compiles_natively(stack: NativeStack) -> bool:
    """True where a C stack is inside a compiler of kernels, or at its lock."""
    return any(COMPILER_CODE.search(f"{frame.function} {frame.module or ''}") for frame in stack.frames)


def in_collective(stack: PythonStack) -> bool:
    """True where the thread is inside a collective or waits for a GPU to end one."""
    inner = stack.frames[:6]
    return any(part in (frame.file or "") for frame in inner for part in COLLECTIVE_FILES) or any(
        name_of(frame) in ("synchronize", "barrier", "all_reduce", "all_gather", "broadcast") for frame in inner
    )


def blocked_in_client(fact: ThreadState | ProcessState) -> bool:
    """True when the wait itself names a network filesystem's client."""
    frames = fact.frames if isinstance(fact, ThreadState) else ()
    return any(word.startswith(CLIENT_WAITS) for word in (fact.wchan or "", *frames))


def blocked_on_page(fact: ThreadState | ProcessState) -> bool:
    """True for a task in D that waits for a page of a file; by its kernel stack where nobody says its state."""
    frames = fact.frames if isinstance(fact, ThreadState) else ()
    return (fact.state == "D" or (fact.state is None and bool(frames))) and any(
        word.startswith(PAGE_WAITS) for word in (fact.wchan or "", *frames[:3])
    )


def on_futex(wchan: str | None) -> bool:
    """True for the wait of every lock, condition and semaphore."""
    return bool(wchan) and (str(wchan).startswith(FUTEX_WAITS) or wchan in FUTEX_CUT)


def wait_channels(process: Process, tid: int | None) -> set[str]:
    """Where the kernel saw a thread wait, over all snapshots; ps speaks of the main thread."""
    seen = {t.wchan for t in process.threads if t.wchan and (tid is None or t.subject.tid in (tid, None))}
    if tid is None or tid == process.pid:
        seen |= {s.wchan for s in process.states if s.wchan}
    return {channel for channel in seen if channel not in ("0", "-")}


def kernel_facts(process: Process, tid: int | None) -> tuple[Evidence, ...]:
    """The kernel's word on one thread, to cite."""
    threads = [t for t in process.threads if t.subject.tid == tid]
    return tuple(threads[:2]) or tuple(process.states[:1])


def is_worker(process: Process) -> bool:
    """True for a DataLoader worker process."""
    return process.comm == "pt_data_worker" or any(in_worker(stack) for stack in process.stacks)


def is_forked(process: Process) -> bool:
    """True for a forked child in whose other threads nobody works who could hold the lock."""
    others = [stack for stack in process.stacks if not is_main(stack)]
    at_work = any(stack.active or innermost_own(stack) for stack in others)
    return any(map(forked, process.stacks)) and not at_work


def native_names(stack: NativeStack, depth: int = 8) -> Sequence[str]:
    """The names of the innermost native frames."""
    return [frame.function for frame in stack.frames[:depth]]


def wants_gil(stack: NativeStack) -> bool:
    """True where a thread waits for Python's global lock."""
    return any(word in name for name in native_names(stack, 10) for word in WANTS_GIL)


def at_mutex(stack: NativeStack, depth: int = 4) -> bool:
    """True where one of the innermost native frames waits for a mutex; a library's own is some calls deeper."""
    names = native_names(stack, depth + 4)
    return any(name.startswith(MUTEX_WAITS) for name in names[:depth]) or any(map(OWN_MUTEXES.match, names))


def dumps(incident: Incident) -> list[list[NativeStack]]:
    """The native stacks of each dump of a process: of one file and one pid."""
    found: dict[tuple[str, int | None], list[NativeStack]] = defaultdict(list)
    for stack in incident.of(NativeStack):
        found[stack.source.file, stack.subject.pid].append(stack)
    return list(found.values())


def waits_for_module(stack: PythonStack) -> bool:
    """True where the innermost frame waits for the lock of a module that some thread imports."""
    inner = stack.frames[0]
    return (inner.file or "").startswith("<frozen importlib") and name_of(inner) in MODULE_LOCKS


def main_stacks(incident: Incident) -> Iterator[PythonStack]:
    """The main threads of the processes that are no workers; one that is shown without a frame tells nothing."""
    return (stack for stack in incident.of(PythonStack) if stack.frames and is_main(stack) and not in_worker(stack))
