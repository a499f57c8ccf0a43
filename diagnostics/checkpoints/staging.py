"""The file that a checkpoint is written into before it has a name."""

from __future__ import annotations

import errno
import io
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..durable import create_exclusively, liveness, staged_for, staging_name, start_writeback
from ..errors import PublishError
from .digest import DEFAULT, file_digest, new_hasher
from .manifest import Record
from .volume import is_on_network

OVERLAPPED = 16 << 20  # bytes; a larger write is hashed in a second thread while the kernel copies it

PIECE = 32 << 20  # bytes; handed to the disk as soon as they are written

REMEDIES = {
    errno.ENOSPC: "the volume is full: make room with `python -m diagnostics checkpoint prune`, then save again",
    errno.EDQUOT: "the quota is used up: make room with `python -m diagnostics checkpoint prune`, then save again",
    errno.EROFS: "the volume is read-only, perhaps after an error: read dmesg, and save to another volume",
    errno.EACCES: "this user may not write there: check the directory's owner and mode",
    errno.EPERM: "this user may not write there: check the directory's owner and mode",
    errno.ENOENT: "the directory is gone or was never made: make it, then save again",
    errno.EINTR: "a signal arrived in the middle: save again",
}
VOLUME_FAULT = "the volume failed, not the program: save to another volume, and read dmesg before trusting this one"


@dataclass(frozen=True)
class Published:
    """A finished checkpoint: where it is, and the record that was written with it."""

    path: Path
    record: Record

    def as_json(self) -> dict[str, Any]:
        record = self.record
        return {
            "path": str(self.path),
            "step": record.step,
            "size": record.size,
            "algorithm": record.algorithm,
            "digest": record.digest,
        }

    def __str__(self) -> str:
        record = self.record
        return f"published {self.path} ({record.size:,} bytes, {record.algorithm} {record.digest})"


class StagedFile(io.RawIOBase):
    """A write-only stream onto a staging name; hashes what passes through and remembers the first error.

    torch.save loses the error number of a failed write, and other writers swallow the error altogether, so
    `finish` raises what the system said at the time. Not seekable: what was hashed stays as it was.
    """

    def __init__(self, directory: Path, name: str, algorithm: str = DEFAULT, mode: int = 0o666) -> None:
        super().__init__()
        self.final = directory / name
        self.path = directory / staging_name(name)
        self.size = 0
        self._hinted = 0
        self.failure: OSError | None = None
        self.published: Published | None = None
        self.algorithm = algorithm
        self._hasher = new_hasher(algorithm)
        self._second: ThreadPoolExecutor | None = None
        self._descriptor = -1
        try:
            self._descriptor = create_exclusively(self.path, mode)
        except OSError as error:
            raise publish_error(self.final, "creating the staging file", error) from error

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.size

    def fileno(self) -> int:
        raise io.UnsupportedOperation("bytes that bypass the hash would not be verified")

    def write(self, data: Any, /) -> int:
        """Write and hash all of `data`; returns its length in bytes."""
        if self.failure:
            raise self.failure
        view = memoryview(data).cast("B")
        try:
            self._write_and_hash(view)
        except OSError as error:
            self.failure = error
            raise
        self.size += len(view)
        return len(view)

    def _write_and_hash(self, view: memoryview) -> None:
        hashed = None
        if len(view) >= OVERLAPPED:
            self._second = self._second or ThreadPoolExecutor(1, thread_name_prefix="checkpoint-hash")
            hashed = self._second.submit(self._hasher.update, view)
        else:
            self._hasher.update(view)
        try:
            rest = view
            while rest:
                rest = rest[os.write(self._descriptor, rest[:PIECE]) :]
                self._hint(self.size + len(view) - len(rest))
        finally:
            if hashed:
                hashed.result()  # the caller may use its buffer again as soon as we return

    def _hint(self, written: int) -> None:
        """The disk works while the rest is still being serialised, instead of only when all is there."""
        if written - self._hinted >= PIECE:
            start_writeback(self._descriptor, self._hinted, written - self._hinted)
            self._hinted = written

    def digest(self) -> str:
        return self._hasher.hexdigest()

    def finish(self, like: os.stat_result | None = None, read_back: bool | None = None) -> os.stat_result:
        """Sync, close and check the staged file; returns what the system says it is now.

        `like` lends its mode and owner (those of the file that will be replaced). `read_back` reads the
        bytes from the volume again: by default only on network filesystems, where a tail can be lost in
        silence at close. Raises PublishError.
        """
        doing = "setting the mode of"
        try:
            if self.failure:
                raise self.failure
            if like:
                _take_after(self._descriptor, like)
            doing = "syncing"
            os.fsync(self._descriptor)
            doing = "closing"
            self._close_descriptor()
            doing = "looking at"
            status = os.lstat(self.path)
        except OSError as error:
            raise publish_error(self.final, "writing" if self.failure else doing, error) from error
        if status.st_size != self.size:
            raise PublishError(
                f"{self.final} was not published: {self.size:,} bytes were written and the volume "
                f"holds {status.st_size:,}",
                VOLUME_FAULT,
            )
        if is_on_network(self.path.parent) if read_back is None else read_back:
            self._check_content()
        return status

    def _check_content(self) -> None:
        try:
            found = file_digest(self.path, self.algorithm, from_volume=True)
        except OSError as error:
            raise publish_error(self.final, "reading back", error) from error
        if found != self.digest():
            raise PublishError(
                f"{self.final} was not published: the volume gives back other bytes than were written", VOLUME_FAULT
            )

    def discard(self) -> None:
        """Give the staging file up; what cannot be removed now is an orphan for a later run."""
        with suppress(OSError):
            self._close_descriptor()
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        if self._second:
            self._second.shutdown()
            self._second = None
        super().close()

    def _close_descriptor(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def sweep_orphans(directory: Path) -> list[Path]:
    """Remove what dead writers of this package left in `directory`; never what may still be written."""
    removed = []
    for path in directory.iterdir():
        staged = staged_for(path.name)
        if staged and liveness(staged[1]) == "dead":
            with suppress(OSError):
                _remove(path)
                removed.append(path)
    return removed


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def publish_error(final: Path, doing: str, error: OSError) -> PublishError:
    reason = error.strerror or str(error)
    remedy = REMEDIES.get(error.errno or 0, VOLUME_FAULT)
    return PublishError(f"{final} was not published: {doing} it failed ({reason}); what was there is untouched", remedy)


def _take_after(descriptor: int, like: os.stat_result) -> None:
    os.fchmod(descriptor, like.st_mode & 0o7777)
    with suppress(PermissionError):  # only root may give a file away; the mode still fits
        os.fchown(descriptor, like.st_uid, like.st_gid)
        os.fchmod(descriptor, like.st_mode & 0o7777)  # chown clears setuid and setgid
