"""Copy one file onto a staging name, going on where an earlier copy stopped, and trust only the hash."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path

from ..durable import write_all
from ..errors import PublishError
from .digest import CHUNK, Hasher, file_digests, new_hasher, open_plain
from .manifest import Record
from .pacing import Pace
from .staging import VOLUME_FAULT
from .volume import is_on_network


def copy_and_check(source: Path, staged: Path, record: Record, pace: Pace) -> os.stat_result:
    """Copy onto a staging name, going on from what is there already; the result has the record's hash or is no more.

    Raises PublishError when the bytes read, or those given back by a network volume, are not the published ones.
    """
    descriptor = os.open(staged, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        _claim(descriptor, staged)
        os.fchmod(descriptor, stat.S_IMODE(os.lstat(source).st_mode))
        digest = _copy_rest(source, descriptor, record, pace)
        if digest != record.digest:  # what an earlier try had left was no good: once more from the start
            os.ftruncate(descriptor, 0)
            digest = _copy_rest(source, descriptor, record, pace)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    status = os.lstat(staged)
    if digest != record.digest or status.st_size != record.size:
        staged.unlink()
        raise PublishError(
            f"{source} gives other bytes than were published", "verify it with --deep; it was not copied"
        )
    if is_on_network(staged.parent) and digest_of(staged, record, from_volume=True) != record.digest:
        staged.unlink()
        raise PublishError(f"{staged.parent} gives back other bytes than were written", VOLUME_FAULT)
    return status


def _copy_rest(source: Path, target: int, record: Record, pace: Pace) -> str:
    """Hash what the target has, then append and hash the rest of the source; returns the hash of it all."""
    hasher = new_hasher(record.algorithm)
    if os.fstat(target).st_size > record.size:
        os.ftruncate(target, 0)
    done = _hash_from(target, 0, hasher, None, pace)
    reader = open_plain(source)
    try:
        _hash_from(reader, done, hasher, target, pace)
    finally:
        os.close(reader)
    return hasher.hexdigest()


def _hash_from(descriptor: int, start: int, hasher: Hasher, target: int | None, pace: Pace) -> int:
    buffer = memoryview(bytearray(CHUNK))
    at = start
    if target is not None:
        os.lseek(target, 0, os.SEEK_END)
    while count := os.preadv(descriptor, [buffer], at):
        hasher.update(buffer[:count])
        if target is not None:
            write_all(target, buffer[:count])
            pace(count)
        at += count
    return at


def _claim(descriptor: int, staged: Path) -> None:
    """One copier at a time; the lock goes with its process, whatever becomes of it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            raise PublishError(f"{staged} is being written by another mirror", "let it finish") from error
        if error.errno not in (errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK, errno.EINVAL):
            raise


def digest_of(path: Path, record: Record, from_volume: bool = False) -> str:
    with suppress(FileNotFoundError):
        return file_digests(path, {record.algorithm}, from_volume)[record.algorithm]
    return ""
