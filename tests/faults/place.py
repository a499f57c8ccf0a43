"""What every fault fixture needs: requirements with a printed reason, scratch folders, sure unmounting."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def require(*programs: str, root: bool = False, fuse: bool = False) -> None:
    """Skip the test, saying what is missing."""
    if root and os.geteuid() != 0:
        pytest.skip("needs root")
    if fuse and not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("needs /dev/fuse")
    for program in programs:
        if shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") is None:
            pytest.skip(f"needs {program}: see scripts/install-test-tools.sh")


@contextmanager
def scratch(name: str) -> Iterator[Path]:
    """A folder of its own below the temporary folder, removed unless something is still mounted in it."""
    folder = Path(tempfile.mkdtemp(prefix=f"diagnostics-{name}-"))
    try:
        yield folder
    finally:
        if not any(point.startswith(str(folder)) for point in mount_points()):
            shutil.rmtree(folder, ignore_errors=True)


def mount_points() -> list[str]:
    """Every mount point of this process, without touching one."""
    lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    return [line.split()[4] for line in lines]


def wait_for(condition: Callable[[], object], what: str, deadline_s: float = 20) -> None:
    """Poll until the condition holds; fail the test at the deadline."""
    end = time.monotonic() + deadline_s
    while not condition():
        if time.monotonic() > end:
            pytest.fail(f"waited {deadline_s:g} s in vain for {what}")
        time.sleep(0.02)


def unmount(point: Path) -> None:
    """Force, then detach: neither waits for a server, and the first releases whoever hangs."""
    for flag in ("-f", "-l"):
        if str(point) in mount_points():
            subprocess.run(["umount", flag, str(point)], stdin=subprocess.DEVNULL, capture_output=True, check=False)


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill and reap one child, stopped or not."""
    if process.poll() is None:
        process.kill()
    process.wait(timeout=20)
