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
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..durable import liveness, parse_writer, staging_name, sync_directory, this_writer
from ..errors import CheckpointError, ManifestError, PublishError, UsageError
from .digest import CHUNK, DEFAULT, chunks, file_digest, open_plain
from .manifest import Record, read_record, record_names, write_record
from .naming import artefact_name, checked_name, step_of
from .staging import Published, StagedFile, publish_error, sweep_orphans
from .volume import is_on_network

_one_rename_at_a_time = threading.Lock()  # two threads of one process may publish under the same name


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
    """Publish bytes that are already in memory; the options are those of `publish`. None on a rank that stands aside."""
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
        options.setdefault("mode", stat.S_IMODE(os.fstat(descriptor).st_mode))
        with publish(directory, step, **options) as file:
            for chunk in _read_or_raise(descriptor, origin):
                file.write(chunk)
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


def put_in_place(staged: Path, final: Path, record: Record) -> None:
    """Write the record, rename, sync the directory. Raises PublishError; only a failed last sync leaves the new name."""
    with _one_rename_at_a_time:
        doing = "writing the manifest for"
        try:
            write_record(final.parent, record)
            doing = "renaming"
            refuse_unusual(final, record.kind == "directory")
            staged.replace(final)
        except (OSError, CheckpointError) as error:
            with suppress(OSError):
                (final.parent / record.file_name).unlink()
            if isinstance(error, CheckpointError):
                raise
            raise publish_error(final, doing, error) from error
        try:
            sync_directory(final.parent)
        except OSError as error:
            raise PublishError(
                f"{final} is whole under its name, but the directory could not be synced ({error.strerror}): "
                "a power loss may bring the previous state back",
                "keep the previous checkpoint and save again, on another volume if this repeats",
            ) from error
        _forget_superseded(final, record)


def outcome(file: Any) -> Published | None:
    found: Published | None = file.published
    return found


def _forget_superseded(final: Path, record: Record) -> None:
    """Drop the records of what was replaced, unless a live writer may be about to rename onto the same name."""
    mine = this_writer()
    for promised in record_names(final.parent, final.name):
        if promised.file_name == record.file_name:
            continue
        with suppress(OSError, ManifestError):
            other = read_record(final.parent, promised)
            writer = parse_writer(other.writer)
            if writer and other.created_ns < record.created_ns and (writer == mine or liveness(writer) == "dead"):
                (final.parent / promised.file_name).unlink()


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
        rank = int(os.environ.get("RANK") or 0) if name is None and os.environ.get("RANK", "0").isdigit() else 0
    return rank != 0


def ensure_directory(folder: Path) -> None:
    try:
        missing = [each for each in (folder, *folder.parents) if not each.exists()]
        for each in reversed(missing):
            each.mkdir(exist_ok=True)
            sync_directory(each.parent)
    except OSError as error:
        raise publish_error(folder, "making", error) from error


def refuse_unusual(final: Path, is_directory: bool = False) -> None:
    """A symbolic link is not followed and not replaced, a directory is never overwritten by a file."""
    try:
        mode = os.lstat(final).st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise publish_error(final, "looking at", error) from error
    if stat.S_ISLNK(mode):
        raise PublishError(f"{final} is a symbolic link, which is not followed", "remove it or choose another name")
    if is_directory or not stat.S_ISREG(mode):
        raise PublishError(f"{final} exists already and cannot be replaced at once", "choose another name")


def _existing(final: Path) -> os.stat_result | None:
    try:
        return os.lstat(final)
    except OSError:
        return None


def sweep(folder: Path) -> None:
    with suppress(OSError):  # cleaning up is a courtesy; the save matters
        sweep_orphans(folder)


def _read_or_raise(descriptor: int, origin: Path) -> Iterable[memoryview]:
    try:
        yield from chunks(descriptor)
    except OSError as error:
        raise PublishError(
            f"{origin} could not be read to its end ({error.strerror})", "copy from another side"
        ) from error


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
