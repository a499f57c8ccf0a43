"""Write so that it survives a crash, and recognise what a crash left behind.

The discipline is write, sync, replace, sync the directory: POSIX promises that `rename` swaps a name at
once, and nothing promises that the bytes or the new name are on the disk before their own `fsync`
(https://man7.org/linux/man-pages/man2/fsync.2.html). A staged file carries its writer in its name, so
that a later run can tell the orphan of a dead process from the file of one that is still writing.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import os
import re
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .procfs import read_file, stat_fields

Liveness = Literal["live", "dead", "unknown"]

STAGED = re.compile(
    r"\.(?P<name>.+)\.(?P<host>[0-9a-f]{6})(?P<boot>[0-9a-f]{6})(?P<namespace>[0-9a-f]{6})"
    r"-(?P<pid>\d{1,10})-(?P<started>\d{1,20})-[0-9a-f]{6}\.part"
)
NO_DIRECTORY_SYNC = {errno.EINVAL, errno.ENOTSUP}  # SMB and some FUSE servers have no fsync for a directory


@dataclass(frozen=True)
class Writer:
    """A process on a machine. `started` is in clock ticks since boot, so a pid used again is another writer."""

    host: str
    boot: str
    namespace: str
    pid: int
    started: int

    def __str__(self) -> str:
        return f"{self.host}{self.boot}{self.namespace}-{self.pid}-{self.started}"


def write_durably(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Put `content` under `path` at once and for good; a reader sees the old bytes or all of the new ones.

    Raises OSError as the system gave it, with nothing changed under `path` unless the last step, the sync
    of the directory, is what failed.
    """
    staged = path.with_name(staging_name(path.name))
    try:
        descriptor = create_exclusively(staged, mode)
        try:
            write_all(descriptor, content)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        staged.replace(path)
    except BaseException:
        with suppress(OSError):
            staged.unlink()
        raise
    sync_directory(path.parent)


def create_exclusively(path: Path, mode: int = 0o666) -> int:
    """A descriptor of a new file; one that exists, or a symbolic link in its place, is an error."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)


def write_all(descriptor: int, content: bytes | bytearray | memoryview) -> None:
    """`os.write` may take fewer bytes than it was given, and never takes more than 2 GiB."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def start_writeback(descriptor: int, offset: int, count: int) -> None:
    """Let the disk begin now with what `fsync` will wait for; a hint, and an error in it is fsync's to report.

    SYNC_FILE_RANGE_WRITE of https://man7.org/linux/man-pages/man2/sync_file_range.2.html, which Python lacks.
    """
    call = _sync_file_range()
    if call:
        call(descriptor, offset, count, 2)


@functools.cache
def _sync_file_range() -> Callable[[int, int, int, int], int] | None:
    import ctypes

    found = getattr(ctypes.CDLL(None, use_errno=True), "sync_file_range", None)
    if found is not None:
        found.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint]
    return found


def sync_directory(directory: Path) -> None:
    """Make the names in `directory` durable; a filesystem that has no such call is taken at its word."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in NO_DIRECTORY_SYNC:
            raise
    finally:
        os.close(descriptor)


def staging_name(name: str) -> str:
    """A hidden name in the same directory that no reader takes for `name`, and that tells who writes it."""
    return f".{name}.{this_writer()}-{secrets.token_hex(3)}.part"


def staged_for(name: str) -> tuple[str, Writer] | None:
    """The final name and the writer behind a staging name; None for any other name."""
    found = STAGED.fullmatch(name)
    if not found:
        return None
    writer = Writer(found["host"], found["boot"], found["namespace"], int(found["pid"]), int(found["started"]))
    return found["name"], writer


def parse_writer(text: str) -> Writer | None:
    """The inverse of `str(writer)`."""
    staged = staged_for(f".x.{text}-000000.part")
    return staged[1] if staged else None


def this_writer() -> Writer:
    host, boot, namespace = _place()
    return Writer(host, boot, namespace, os.getpid(), _started(os.getpid()) or 0)


def liveness(writer: Writer) -> Liveness:
    """Whether the writer still runs; "unknown" when it belongs to a machine or container we cannot look into.

    A zombie counts as live: its leader may be gone while another of its threads still waits in a write.
    """
    host, boot, namespace = _place()
    if writer.host != host:
        return "unknown"
    if writer.boot != boot:
        return "dead"  # the same machine has been started again since
    if writer.namespace != namespace:
        return "unknown"
    return "live" if _started(writer.pid) == writer.started else "dead"


@functools.cache
def _place() -> tuple[str, str, str]:
    machine = read_file("/etc/machine-id").strip() + socket.gethostname()
    namespace = ""
    with suppress(OSError):
        namespace = str(Path("/proc/self/ns/pid").readlink())
    return _short(machine), _short(read_file("/proc/sys/kernel/random/boot_id").strip()), _short(namespace)


def _started(pid: int) -> int | None:
    """Field 22 of /proc/PID/stat (proc_pid_stat(5))."""
    fields = stat_fields(f"/proc/{pid}")
    return int(fields[19]) if len(fields) > 19 else None


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]
