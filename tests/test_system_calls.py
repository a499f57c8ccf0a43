"""The table of system calls, held against the kernel of this machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from diagnostics.stuck import CALLS
from diagnostics.system_calls import ARM64, X86_64
from tests.faults.place import end, wait_for


@pytest.mark.parametrize(
    ("name", "descriptor", "path"), [("read", 0, None), ("sendfile", 1, None), ("openat", None, 1), ("rename", None, 1)]
)
def test_which_argument_names_the_file(name: str, descriptor: int | None, path: int | None) -> None:
    for call in (call for table in (X86_64, ARM64) for call in table.values() if call.name == name):
        assert (call.descriptor, call.path) == (descriptor, path)


def test_both_machines_have_each_modern_call_once() -> None:
    assert len({call.name for call in X86_64.values()}) == len(X86_64)
    assert {call.name for call in ARM64.values()} < {call.name for call in X86_64.values()}


def called(syscall: str) -> tuple[str, int | None]:
    """The name of the call that /proc/PID/syscall shows, and its descriptor."""
    number, *arguments = syscall.split()
    call = CALLS.get(int(number)) if number.lstrip("-").isdigit() else None
    if call is None or call.descriptor is None:
        return "", None
    return call.name, int(arguments[call.descriptor], 16)


def test_a_read_that_waits_is_called_read() -> None:
    reads, writes = os.pipe()
    child = subprocess.Popen(["cat"], stdin=reads, cwd="/")
    try:
        syscall = Path(f"/proc/{child.pid}/syscall")
        if not os.access(syscall, os.R_OK):
            pytest.skip("needs the right to trace")
        wait_for(lambda: called(syscall.read_text()) == ("read", 0), "cat to read from descriptor 0")
    finally:
        os.close(writes)
        os.close(reads)
        end(child)
