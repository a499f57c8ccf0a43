"""Mirror: the same checkpoints on a second volume, by the same discipline as the first.

Newest first; only what is whole on the primary; staged, verified against the manifest, published. A copy
that was cut off goes on where it stopped, and what it had already written is hashed again before it counts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import CheckpointError
from .digest import DEFAULT, file_digest, new_hasher
from .directories import plain_files
from .finding import State
from .health import Artefact, printable, verify
from .manifest import Record, Shard, listing_digest
from .pacing import Pace
from .remote import RemoteSide
from .sides import LocalSide, Present, Side

MARKS = {
    "same": "=",
    "differs": "*",
    "only on the primary": "+",
    "only on the mirror": "-",
    "failed": "!",
    "copied": "=",
}


@dataclass(frozen=True)
class MirrorEntry:
    """One checkpoint on both sides. `mark` is that of `rclone check --combined`."""

    name: str
    step: int | None
    state: str
    because: str
    size: int

    @property
    def mark(self) -> str:
        return MARKS[self.state]


@dataclass(frozen=True)
class MirrorReport:
    """What is on which side (and what was copied), newest step first."""

    primary: str
    target: str
    entries: tuple[MirrorEntry, ...]

    @property
    def failed(self) -> tuple[MirrorEntry, ...]:
        return tuple(each for each in self.entries if each.state == "failed")

    @property
    def combined(self) -> str:
        """One line for each name: `= name` on both, `*` different, `+`/`-` on one only, `!` an error."""
        return "\n".join(f"{each.mark} {printable(each.name)}" for each in self.entries)

    def as_json(self) -> dict[str, Any]:
        entries = [{**each.__dict__, "mark": each.mark} for each in self.entries]
        return {"primary": self.primary, "target": self.target, "entries": entries}

    def __str__(self) -> str:
        lines = [f"{printable(self.primary)} -> {printable(self.target)}"]
        for each in self.entries:
            lines.append(f"  {each.mark} {each.state:19} {each.size:>15,}  {printable(each.name)}  {each.because}")
        return "\n".join(lines)

    __repr__ = __str__


def mirror(
    primary: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    newest: int | None = None,
    bytes_per_s: float | None = None,
    dry_run: bool = False,
    deep: bool = False,
) -> MirrorReport:
    """Copy what is whole in `primary` and missing or damaged in `target`, newest step first.

    Parameters
    ----------
    target : a directory, or a URL that fsspec knows (s3://, gs://, sftp://, memory://, ...)
    newest : at most so many steps
    bytes_per_s : the fastest the copy may go
    dry_run : only say what differs
    deep : compare content hashes of what is on both sides already, instead of sizes and structure

    Raises UnreadableInput when the primary cannot be listed; what fails on the way is an entry of the report.
    """
    health = verify(primary)
    side = side_of(target)
    present = side.present(deep)
    pace = Pace(Path(primary), bytes_per_s)
    entries = []
    for artefact in chosen(health.artefacts, newest):
        entries.append(_mirror_one(artefact, present.pop(artefact.path.name, None), side, pace, dry_run))
    kept_back = {each.path.name for each in health.artefacts}
    entries += [
        MirrorEntry(name, each.step, "only on the mirror", "", each.size)
        for name, each in present.items()
        if name not in kept_back
    ]
    return MirrorReport(os.fspath(primary), os.fspath(target), tuple(entries))


def side_of(target: str | os.PathLike[str]) -> Side:
    """The side that a directory or a URL is. Raises UsageError for a URL of an unknown kind."""
    where = os.fspath(target)
    return RemoteSide(where) if "://" in where else LocalSide(Path(where))


def chosen(artefacts: Iterable[Artefact], newest: int | None) -> list[Artefact]:
    found = [each for each in artefacts if each.state is not State.STAGING]
    return found if newest is None else found[:newest]


def _mirror_one(artefact: Artefact, present: Present | None, side: Side, pace: Pace, dry_run: bool) -> MirrorEntry:
    def entry(state: str, because: str = "") -> MirrorEntry:
        return MirrorEntry(artefact.path.name, artefact.step, state, because, artefact.size)

    if artefact.state is not State.COMPLETE:
        return entry("failed", f"not copied: {artefact.state} on the primary, {artefact.finding.because}")
    try:
        record = artefact.record or describe(artefact)
        if present and present.digest == record.digest:
            return entry("same")
        if dry_run:
            return entry("differs" if present else "only on the primary")
        side.store(artefact, record, pace)
        return entry("copied", "verified against the manifest")
    except CheckpointError as error:
        return entry("failed", str(error))
    except OSError as error:
        return entry("failed", f"{error.strerror or error}")


def describe(artefact: Artefact) -> Record:
    """A record for a whole artefact that has none, by reading it to its end."""
    path, kind = artefact.path, "directory" if artefact.path.is_dir() else "file"
    files: tuple[Shard, ...] = ()
    if kind == "directory":
        files = tuple(Shard(str(f.relative_to(path)), f.stat().st_size, file_digest(f)) for f in plain_files(path))
        digest = listing_digest(files, new_hasher())
    else:
        digest = file_digest(path)
    return Record(path.name, artefact.step, kind, artefact.size, DEFAULT, digest, files=files)
