"""What a C stack waits in: a mutex by any of its names, and no condition."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.evidence import Source, Subject
from diagnostics.evidence.process import Frame, NativeStack, PythonStack
from diagnostics.incident import Incident, open_incident
from diagnostics.observation import State, observe
from diagnostics.symptoms import worker_waits_for_lock
from diagnostics.symptoms._waits import at_mutex


def stack(*names: str) -> NativeStack:
    frames = tuple(Frame(name, None, None) for name in names)
    return NativeStack(source=Source("gdb.txt", 1, ""), subject=Subject(pid=4300), thread="1", frames=frames)


@pytest.mark.parametrize(
    "names",
    [
        ("__lll_lock_wait", "___pthread_mutex_lock", "std::mutex::lock()"),
        ("__GI___lll_lock_wait", "__GI___pthread_mutex_lock"),
        ("futex_wait", "__GI___lll_lock_wait", "___pthread_mutex_lock"),
        ("__lll_lock_wait", "_L_lock_909", "__pthread_mutex_lock"),
        ("__futex_abstimed_wait", "__pthread_rwlock_wrlock_full64", "pthread_rwlock_wrlock"),
        ("__psynch_mutexwait", "_pthread_mutex_firstfit_lock_wait"),
        ("syscall", "parking_lot::raw_rwlock::RawRwLock::lock_exclusive_slow"),
        ("syscall", "<parking_lot::raw_mutex::RawMutex as lock_api::mutex::RawMutex>::lock"),
        ("syscall", "std::sys::sync::mutex::futex::Mutex::lock_contended::h0123456789abcdef"),
        (
            "syscall",
            "absl::lts_20230802::Mutex::Block",
            "absl::lts_20230802::Mutex::LockSlowLoop",
            "absl::lts_20230802::Mutex::LockSlow",
            "absl::lts_20230802::Mutex::Lock",
        ),
    ],
)
def test_a_mutex(names: tuple[str, ...]) -> None:
    assert at_mutex(stack(*names))


@pytest.mark.parametrize(
    "names",
    [
        ("futex_wait_cancelable", "pthread_cond_wait@@GLIBC_2.3.2"),
        ("syscall", "parking_lot::condvar::Condvar::wait_until_internal"),
        ("syscall", "absl::Mutex::LockSlow", "absl::Mutex::LockWhen"),
        ("poll",),
        (),
    ],
)
def test_no_mutex(names: tuple[str, ...]) -> None:
    assert not at_mutex(stack(*names))


DUMP = """Thread 4242 (%s): "MainThread"
    %s
    main (fit.py:80)
Thread 4260 (idle): "beat"
    wait (threading.py:324)
    wait (threading.py:607)
"""


@pytest.mark.parametrize(
    ("state", "frame", "absent"),
    [
        ("active", "step (fit.py:41)", {"main-thread-waits-for-loader", "threads-wait-for-each-other", "compiling"}),
        (
            "idle",
            "all_reduce (torch/distributed/distributed_c10d.py:2050)",
            {"main-thread-waits-for-loader", "threads-wait-for-each-other", "compiling"},
        ),
        (
            "idle",
            "read (multiprocessing/connection.py:382)",
            {"main-thread-waits-for-loader", "threads-wait-for-each-other", "compiling"},
        ),
        ("idle", "wait (threading.py:324)", {"threads-wait-for-each-other", "compiling"}),
        ("idle", "step (fit.py:41)", {"compiling"}),
        ("idle", "acquire (threading.py:190)", {"compiling"}),
    ],
)
def test_who_idles_in_a_line_of_its_own_may_wait_for_anything(
    state: str, frame: str, absent: set[str], tmp_path: Path
) -> None:
    (tmp_path / "pyspy.txt").write_text(DUMP % (state, frame))
    assert {each.symptom for each in observe(open_incident(tmp_path)) if each.state is State.ABSENT} == absent


def test_a_child_of_a_pool_is_no_main_thread(tmp_path: Path) -> None:
    frames = "step (fit.py:41)\n    mapstar (multiprocessing/pool.py:48)\n    worker (multiprocessing/pool.py:125)"
    (tmp_path / "pyspy.txt").write_text(DUMP % ("active", frames))
    absent = {each.symptom for each in observe(open_incident(tmp_path)) if each.state is State.ABSENT}
    assert absent == {"threads-wait-for-each-other"}


def test_each_stack_of_a_large_dump_is_looked_at_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []

    def counting(stack: PythonStack) -> Frame | None:
        looked_at.append(stack)
        return None

    frames = (Frame("wait", "threading.py", 320),)
    stacks = [
        PythonStack(
            source=Source("dump.txt", n + 1, ""), subject=Subject(pid=n // 2), thread="MainThread", frames=frames
        )
        for n in range(600)
    ]
    monkeypatch.setattr(worker_waits_for_lock, "innermost_own", counting)
    assert not list(worker_waits_for_lock.rule(Incident("large", stacks, [], {})))
    assert len(looked_at) <= 5 * len(stacks)
