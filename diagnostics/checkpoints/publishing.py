"""Publish: a checkpoint gets its name only when all of it is safely on the disk.

    from diagnostics.checkpoints import publish, resume_point

    with publish(directory, step=810) as file:
        torch.save(state, file)

Staged under a hidden name in the same directory, hashed while it is written, synced, closed, checked, its
record written, renamed, and the directory synced. Whatever fails raises PublishError (or what the body
raised), and the checkpoint that was there before stays as it was.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..durable import staging_name
from ..errors import PublishError, UsageError
from .digest import CHUNK, DEFAULT, chunks, file_digest, open_plain
from .manifest import Record
from .naming import artefact_name, checked_name, step_of
from .placing import ensure_directory, put_in_place, refuse_unusual, sweep
from .staging import Published, StagedFile, publish_error
from .volume import is_on_network


class Bystander:
    """What ranks other than 0 write into: it takes everything and keeps nothing."""

    published: None = None

    def write(self, data: Any, /) -> int:
        return memoryview(data).nbytes

    def flush(self) -> None: ...


@contextmanager
def publish(
    directory: str | os.PathLike[str],
    step: int | None = None,
    *,
    name: str | None = None,
    rank: int | None = None,
    algorithm: str = DEFAULT,
    metrics: Mapping[str, float] | None = None,
    read_back: bool | None = None,
    mode: int = 0o666,
) -> Iterator[Any]:
    """A binary stream to write one checkpoint into; leaving the block publishes it.

    Parameters
    ----------
    directory : where the checkpoint will be; made if it is missing
    step : the training step
    name : file name; `step_00000810.pt` for step 810 unless given
    rank : only rank 0 writes and renames. Unless given it is torchrun's RANK for the default name, which
        all ranks share, and 0 for a name of your own, which may be this rank's shard
    algorithm : content hash, one of xxh3_128, blake3, sha256
    metrics : numbers to choose the best checkpoints by, when old ones are pruned
    read_back : read the bytes from the volume again before the rename; by default on network volumes only
    mode : permissions of a new name, less the umask; a name used again keeps the mode and owner that it has

    Raises PublishError when any call fails, close and directory sync included.
    """
    folder, final = _prepared(directory, step, name)
    if _stands_aside(rank, name):
        yield Bystander()
        return
    ensure_directory(folder)
    refuse_unusual(final)
    sweep(folder)
    staged = StagedFile(folder, final.name, algorithm, mode)
    try:
        try:
            yield staged
        except Exception as error:
            if staged.failure:  # torch.save reports a full disk as "unexpected pos"; say what the system said
                raise publish_error(final, "writing", staged.failure) from error
            raise
        status = staged.finish(_existing(final), read_back)
        record = Record(
            name=final.name,
            step=step,
            kind="file",
            size=staged.size,
            algorithm=algorithm,
            digest=staged.digest(),
            mtime_ns=status.st_mtime_ns,
            metrics=dict(metrics or {}),
            tensors=_tensors(staged.path),
        )
        put_in_place(staged.path, final, record)
        staged.published = Published(final, record)
    finally:
        staged.discard()


def publish_bytes(
    directory: str | os.PathLike[str], content: Any, step: int | None = None, **options: Any
) -> Published | None:
    """Publish bytes that are already in memory; the options are those of `publish`. None on a rank that stands
    aside.
    """
    with publish(directory, step, **options) as file:
        view = memoryview(content).cast("B")
        for start in range(0, len(view), 64 * CHUNK):
            file.write(view[start : start + 64 * CHUNK])
    return outcome(file)


def publish_file(
    source: str | os.PathLike[str], directory: str | os.PathLike[str], step: int | None = None, **options: Any
) -> Published | None:
    """Copy an existing file and publish the copy; the source is only read. The name stays unless given."""
    origin = Path(source)
    options.setdefault("name", origin.name)
    step = step_of(options["name"]) if step is None else step
    try:
        descriptor = open_plain(Path(os.path.realpath(origin)))
    except OSError as error:
        raise PublishError(f"{origin} cannot be read ({error.strerror})", "name a file that exists") from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UsageError(f"{origin} is not a regular file", "publish a directory with publish_directory")
        before = os.fstat(descriptor)
        options.setdefault("mode", stat.S_IMODE(before.st_mode))
        with publish(directory, step, **options) as file:
            for chunk in _read_or_raise(descriptor, origin):
                file.write(chunk)
            _refuse_changed(descriptor, before, origin)
    finally:
        os.close(descriptor)
    return outcome(file)


@contextmanager
def publish_path(
    directory: str | os.PathLike[str],
    step: int | None = None,
    *,
    name: str | None = None,
    algorithm: str = DEFAULT,
    metrics: Mapping[str, float] | None = None,
    read_back: bool | None = None,
) -> Iterator[Path]:
    """A path to write one file at, for libraries that insist on a path; leaving the block publishes it.

    The file is hashed by reading it again, so this costs one more pass than `publish`. A library that
    swallowed an error at close is caught only by what the file's own format proves.
    """
    from .proof import prove_file

    folder, final = _prepared(directory, step, name)
    ensure_directory(folder)
    refuse_unusual(final)
    sweep(folder)
    staged = folder / staging_name(final.name)
    try:
        yield staged
        try:
            status = _sync_path(staged)
            digest = file_digest(staged, algorithm, is_on_network(folder) if read_back is None else read_back)
        except OSError as error:
            raise publish_error(final, "syncing and reading back", error) from error
        finding = prove_file(staged, deep=bool(read_back))
        if finding.is_broken:
            raise PublishError(f"{final} was not published: {finding.because}", "the writer lost an error; save again")
        put_in_place(
            staged,
            final,
            Record(
                name=final.name,
                step=step,
                kind="file",
                size=status.st_size,
                algorithm=algorithm,
                digest=digest,
                mtime_ns=status.st_mtime_ns,
                metrics=dict(metrics or {}),
                tensors=_tensors(staged),
            ),
        )
    finally:
        with suppress(OSError):
            staged.unlink(missing_ok=True)


def outcome(file: Any) -> Published | None:
    found: Published | None = file.published
    return found


def _prepared(directory: str | os.PathLike[str], step: int | None, name: str | None) -> tuple[Path, Path]:
    if step is not None and step < 0:
        raise UsageError(f"step {step} is negative", "give the number of finished steps")
    if name is None:
        if step is None:
            raise UsageError("neither a step nor a name was given", "publish(directory, step=810)")
        name = artefact_name(step)
    folder = Path(directory)
    return folder, folder / checked_name(name)


def _stands_aside(rank: int | None, name: str | None) -> bool:
    if rank is None:
        rank = this_rank() if name is None else 0
    return rank != 0


def this_rank() -> int:
    """torchrun's RANK, or that of an initialised torch.distributed; 0 when there is only one process."""
    if os.environ.get("RANK", "").isdigit():
        return int(os.environ["RANK"])
    distributed = sys.modules.get("torch.distributed")  # imported already, or there is no group
    if distributed and distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank())
    return 0


def _existing(final: Path) -> os.stat_result | None:
    try:
        return os.lstat(final)
    except OSError:
        return None


def _read_or_raise(descriptor: int, origin: Path) -> Iterable[memoryview]:
    try:
        yield from chunks(descriptor)
    except OSError as error:
        raise PublishError(
            f"{origin} could not be read to its end ({error.strerror})", "copy from another side"
        ) from error


def _refuse_changed(descriptor: int, before: os.stat_result, origin: Path) -> None:
    now = os.fstat(descriptor)
    if (now.st_size, now.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise PublishError(f"{origin} was written to while it was copied", "copy it when its writer has finished")


def _sync_path(path: Path) -> os.stat_result:
    descriptor = open_plain(path)
    try:
        os.fsync(descriptor)
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def _tensors(path: Path) -> tuple[tuple[str, str, tuple[int, ...]], ...]:
    from .formats.safetensors import tensors_in

    with suppress(OSError):
        return tensors_in(path)
    return ()
