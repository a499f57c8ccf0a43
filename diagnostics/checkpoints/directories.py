"""Publish a directory of shards: every rank writes its own, rank 0 alone gives the directory its name.

    with publish_directory(run, step=810) as folder:              # one process: DCP, save_pretrained, ...
        dcp.save(state, checkpoint_id=folder)

    with publish_directory(run, step=810, rank=rank, world_size=8, attempt=job_id) as folder:
        torch.save(shard, folder / f"rank_{rank}.pt")             # every rank; leaving the block waits for all

All ranks share one staging directory, whose name they derive from the step and the attempt. An attempt
must be unique for each start of the job, so that the remains of one that died are never counted.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ..durable import create_exclusively, staging_name, sync_directory, write_all, write_durably
from ..errors import PublishError, UsageError
from .digest import DEFAULT, chunks, file_digest, new_hasher, open_plain
from .manifest import Record, Shard, listing_digest
from .naming import checked_name, step_of
from .placing import ensure_directory, put_in_place, refuse_unusual, sweep
from .staging import Published, publish_error
from .volume import is_on_network

POLL_S = 0.05


@contextmanager
def publish_directory(
    directory: str | os.PathLike[str],
    step: int,
    *,
    name: str | None = None,
    rank: int = 0,
    world_size: int = 1,
    attempt: str | None = None,
    timeout_s: float = 1800.0,
    algorithm: str = DEFAULT,
    metrics: Mapping[str, float] | None = None,
) -> Iterator[Path]:
    """A staging directory to write shards into; it gets its name when every rank has left the block.

    Raises PublishError when a call fails, or when a rank has not finished after `timeout_s` seconds.
    """
    folder = Path(directory)
    final = folder / checked_name(name or f"step_{step:08d}")
    staged = folder / _staging_name(final.name, world_size, attempt)
    ensure_directory(folder)
    refuse_unusual(final, is_directory=True)
    if rank == 0:
        sweep(folder)
    try:
        staged.mkdir(exist_ok=world_size > 1)
        yield staged
        if world_size > 1:
            _announce(staged, rank)
        if rank == 0:
            _wait_for_ranks(staged, world_size, timeout_s)
            seal(staged, final, step, algorithm, metrics)
        else:
            _wait_for_name(staged, final, timeout_s)
    except OSError as error:
        raise publish_error(final, "staging", error) from error
    finally:
        if rank == 0:
            shutil.rmtree(staged, ignore_errors=True)


def publish_copy_of_directory(
    source: str | os.PathLike[str],
    directory: str | os.PathLike[str],
    step: int | None = None,
    *,
    name: str | None = None,
    algorithm: str = DEFAULT,
) -> Published:
    """Copy an existing directory of shards and publish the copy; symbolic links in it are refused."""
    origin = Path(source)
    folder, final = Path(directory), Path(directory) / checked_name(name or origin.resolve().name)
    step = step_of(final.name) if step is None else step
    ensure_directory(folder)
    refuse_unusual(final, is_directory=True)
    sweep(folder)
    staged = folder / staging_name(final.name)
    try:
        staged.mkdir()
        for file in plain_files(origin):
            copy = staged / file.relative_to(origin)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy_plainly(file, copy)
        return seal(staged, final, step, algorithm)
    except OSError as error:
        raise publish_error(final, "copying", error) from error
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def seal(
    staged: Path,
    final: Path,
    step: int | None,
    algorithm: str = DEFAULT,
    metrics: Mapping[str, float] | None = None,
) -> Published:
    """Sync and hash every file of a staged directory, write its record, and give it its name."""
    files = plain_files(staged)
    if not files:
        raise PublishError(
            f"{final} was not published: nothing was written into it", "write the shards inside the block"
        )
    from_volume = is_on_network(staged)
    sync_all(staged, files)
    shards = tuple(
        Shard(str(file.relative_to(staged)), file.stat().st_size, file_digest(file, algorithm, from_volume))
        for file in files
    )
    record = Record(
        name=final.name,
        step=step,
        kind="directory",
        size=sum(shard.size for shard in shards),
        algorithm=algorithm,
        digest=listing_digest(shards, new_hasher(algorithm)),
        metrics=dict(metrics or {}),
        files=shards,
    )
    put_in_place(staged, final, record)
    return Published(final, record)


def plain_files(directory: Path) -> list[Path]:
    """Every regular file below `directory`; PublishError for a symbolic link, a pipe or a device among them."""
    found = []
    for top, folders, names in os.walk(directory, onerror=raise_it):  # a shard that cannot be seen is not absent
        for path in (Path(top) / each for each in (*folders, *names)):
            mode = os.lstat(path).st_mode
            if stat.S_ISREG(mode):
                found.append(path)
            elif not stat.S_ISDIR(mode):
                raise PublishError(f"{path} is a link or no regular file", "a checkpoint holds plain files only")
    return sorted(found)


def raise_it(error: OSError) -> None:
    """`os.walk` passes over what it cannot list unless it is told otherwise."""
    raise error


def copy_plainly(source: Path, target: Path) -> None:
    """Copy a regular file's bytes and mode to a new name; OSError as the system gave it."""
    reader = open_plain(source)
    try:
        writer = create_exclusively(target, stat.S_IMODE(os.fstat(reader).st_mode))
        try:
            for chunk in chunks(reader):
                write_all(writer, chunk)
        finally:
            os.close(writer)
    finally:
        os.close(reader)


def _staging_name(name: str, world_size: int, attempt: str | None) -> str:
    if world_size == 1:
        return staging_name(name)
    if not attempt:
        raise UsageError(
            "several ranks share one staging directory and no attempt was given",
            "pass attempt=, unique for each start of the job (the job's id and its restart count)",
        )
    return f".{name}.{hashlib.sha256(attempt.encode()).hexdigest()[:12]}.shared.part"


def _announce(staged: Path, rank: int) -> None:
    """This rank's files are on the volume; a file's own client must sync it, so rank 0 cannot do it for us."""
    sync_all(staged, [file for file in plain_files(staged) if not file.name.startswith(".rank-")])
    write_durably(_done(staged, rank), b"")


def _wait_for_ranks(staged: Path, world_size: int, timeout_s: float) -> None:
    if world_size == 1:
        return
    missing = list(range(world_size))

    def all_done() -> bool:
        missing[:] = [rank for rank in missing if not _done(staged, rank).exists()]
        return not missing

    if not _wait_until(all_done, timeout_s):
        raise PublishError(
            f"ranks {missing} had not written their shards after {timeout_s:.0f} s; nothing was published",
            "find out why they are late; the previous checkpoint is untouched",
        )
    for rank in range(world_size):
        _done(staged, rank).unlink()


def _wait_for_name(staged: Path, final: Path, timeout_s: float) -> None:
    if not _wait_until(lambda: final.is_dir() or not staged.is_dir(), timeout_s) or not final.is_dir():
        raise PublishError(f"rank 0 did not publish {final}", "its own error says why; the previous one is untouched")


def _wait_until(condition: Callable[[], bool], timeout_s: float) -> bool:
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True


def _done(staged: Path, rank: int) -> Path:
    return staged / f".rank-{rank}.done"


def sync_all(staged: Path, files: list[Path]) -> None:
    for file in files:
        descriptor = open_plain(file)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    for folder in sorted(
        {staged, *(parent for file in files for parent in file.parents if parent.is_relative_to(staged))}
    ):
        sync_directory(folder)
