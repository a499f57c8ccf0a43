"""What a C stack waits in: a mutex by any of its names, and no condition."""

from __future__ import annotations

import pytest

from diagnostics.evidence import Source, Subject
from diagnostics.evidence.process import Frame, NativeStack
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
    ],
)
def test_a_mutex(names: tuple[str, ...]) -> None:
    assert at_mutex(stack(*names))


@pytest.mark.parametrize("names", [("futex_wait_cancelable", "pthread_cond_wait@@GLIBC_2.3.2"), ("poll",), ()])
def test_no_mutex(names: tuple[str, ...]) -> None:
    assert not at_mutex(stack(*names))
