"""The last steps of publishing: the record, the rename, the sync of the directory, and what is refused before them."""

from __future__ import annotations

import os
import stat
import threading
from contextlib import suppress
from pathlib import Path

from ..durable import liveness, parse_writer, sync_directory, this_writer
from ..errors import CheckpointError, ManifestError, PublishError
from .manifest import Record, read_record, record_names, write_record
from .staging import publish_error, sweep_orphans

_one_rename_at_a_time = threading.Lock()  # two threads of one process may publish under the same name


def put_in_place(staged: Path, final: Path, record: Record) -> None:
    """Write the record, rename, sync the directory. Raises PublishError; only a failed last sync leaves the new
    name.
    """
    with _one_rename_at_a_time:
        manifest = final.parent / record.file_name
        doing, known = "writing the manifest for", True
        try:
            known = manifest.exists()
            write_record(final.parent, record)
            doing = "renaming"
            refuse_unusual(final, record.kind == "directory")
            staged.replace(final)
        except (OSError, CheckpointError) as error:
            if not known:  # the same bytes published again: it is also the record of what is there
                with suppress(OSError):
                    manifest.unlink()
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
        with suppress(OSError):  # a stale record is no harm; the checkpoint is there
            _forget_superseded(final, record)


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


def sweep(folder: Path) -> None:
    with suppress(OSError):  # cleaning up is a courtesy; the save matters
        sweep_orphans(folder)
