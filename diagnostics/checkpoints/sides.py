"""The far side of a mirror: what it has under each name, how it takes a copy, and the side that is a directory."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from ..durable import staging_name, this_writer
from ..errors import PublishError
from .copying import copy_and_check, digest_of
from .directories import plain_files, sync_all
from .finding import State
from .health import Artefact, verify
from .manifest import Record
from .pacing import Pace
from .placing import ensure_directory, put_in_place, sweep
from .staging import publish_error


@dataclass(frozen=True)
class Present:
    """What the mirror has under a name: the hash of a whole artefact, None for a broken one."""

    step: int | None
    size: int
    digest: str | None


class Side(Protocol):
    """Where copies go."""

    def present(self, deep: bool) -> dict[str, Present]:
        """What is there by name, judged by sizes and structure; `deep` reads everything back."""

    def store(self, artefact: Artefact, record: Record, pace: Pace) -> None:
        """Copy, verify and publish a whole artefact. Raises CheckpointError."""


class LocalSide:
    """A directory on another volume of this machine (or a network mount)."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def present(self, deep: bool) -> dict[str, Present]:
        if not os.path.lexists(self.directory):
            return {}
        found = {}
        for each in verify(self.directory, deep):
            if each.state is not State.STAGING:
                whole = each.record if each.state is State.COMPLETE else None
                found[each.path.name] = Present(each.step, each.size, whole.digest if whole else None)
        return found

    def store(self, artefact: Artefact, record: Record, pace: Pace) -> None:
        ensure_directory(self.directory)
        sweep(self.directory)
        staged = self.directory / f".{record.name}.{record.digest[:16]}.mirror.part"
        final = self.directory / record.name
        try:
            if record.files:
                self._stage_directory(artefact.path, staged, record, pace)
            else:
                status = copy_and_check(artefact.path, staged, record, pace)
                record = replace(record, mtime_ns=status.st_mtime_ns)
            if final.is_dir() or (record.files and final.exists()):
                _set_aside(final)
            put_in_place(staged, final, replace(record, writer=str(this_writer())))
        except OSError as error:
            raise publish_error(final, "copying", error) from error

    def _stage_directory(self, source: Path, staged: Path, record: Record, pace: Pace) -> None:
        staged.mkdir(exist_ok=True)
        for shard in record.files:
            copy = staged / shard.path
            copy.parent.mkdir(parents=True, exist_ok=True)
            part = replace(record, name=shard.path, size=shard.size, digest=shard.digest, files=())
            if not (copy.is_file() and copy.stat().st_size == shard.size and digest_of(copy, part) == shard.digest):
                copy_and_check(source / shard.path, copy, part, pace)
        wanted = {staged / shard.path for shard in record.files}
        for extra in set(plain_files(staged)) - wanted:
            extra.unlink()
        sync_all(staged, sorted(wanted))


def _set_aside(final: Path) -> None:
    """What is damaged gives its name up before it is deleted, so that no reader sees it half gone."""
    if final.is_symlink():
        raise PublishError(f"{final} is a symbolic link, which is not followed", "remove it or choose another name")
    aside = final.with_name(staging_name(final.name))
    final.replace(aside)
    if aside.is_dir():
        shutil.rmtree(aside, ignore_errors=True)
    else:
        aside.unlink()
