"""A directory of checkpoints at a glance: every artefact, its step, its state and why."""

from __future__ import annotations

import html
import os
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ..durable import Liveness, liveness, staged_for
from ..errors import UnreadableInput
from .finding import Finding, State
from .manifest import Record, RecordName, parse_record_name, record_names
from .naming import SUFFIXES, is_staging, says_step, step_of
from .proof import is_checkpoint_directory
from .verification import verify_artefact

WRITER = {
    "live": "its writer still runs",
    "dead": "its writer is dead: an orphan",
    "unknown": "its writer cannot be seen from here",
}


@dataclass(frozen=True)
class Candidate:
    """A name that a reader would take for a checkpoint, before anybody looked inside."""

    path: Path
    step: int | None
    promised: tuple[RecordName, ...]


@dataclass(frozen=True)
class Artefact:
    """One checkpoint as it was found. `size` in bytes; `mtime` in seconds since 1970, None when unknown."""

    path: Path
    step: int | None
    size: int
    mtime: float | None
    finding: Finding
    record: Record | None = None
    writer: Liveness | None = None

    @property
    def state(self) -> State:
        return self.finding.state

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.path.name,
            "step": self.step,
            "state": str(self.state),
            "proof": self.finding.proof,
            "because": self.finding.because,
            "missing_bytes": self.finding.missing,
            "size": self.size,
            "mtime": self.mtime,
            "algorithm": self.record.algorithm if self.record else None,
            "digest": self.record.digest if self.record else None,
            "writer": self.writer,
        }


@dataclass(frozen=True)
class Listing:
    """A directory's names, sorted out; nothing has been opened."""

    candidates: tuple[Candidate, ...] = ()
    staging: tuple[Path, ...] = ()
    leftover_records: tuple[Path, ...] = ()


@dataclass(frozen=True)
class DirectoryHealth:
    """Every artefact of one directory, newest step first, then what is still (or for ever) being written."""

    directory: Path
    deep: bool
    artefacts: tuple[Artefact, ...] = ()
    leftover_records: tuple[Path, ...] = field(default=(), repr=False)

    def __iter__(self) -> Iterator[Artefact]:
        return iter(self.artefacts)

    def __len__(self) -> int:
        return len(self.artefacts)

    @property
    def counts(self) -> dict[str, int]:
        found = Counter(str(each.state) for each in self.artefacts)
        return {str(state): found[str(state)] for state in State if found[str(state)]}

    @property
    def broken(self) -> tuple[Artefact, ...]:
        return tuple(each for each in self.artefacts if each.finding.is_broken)

    def as_json(self) -> dict[str, Any]:
        return {
            "directory": str(self.directory),
            "deep": self.deep,
            "counts": self.counts,
            "artefacts": [each.as_json() for each in self.artefacts],
        }

    def __str__(self) -> str:
        lines = [f"{printable(str(self.directory))}: {self._summary()}"]
        width = max((len(printable(each.path.name)) for each in self.artefacts), default=0)
        for each in self.artefacts:
            step = "-" if each.step is None else str(each.step)
            name = printable(each.path.name).ljust(width)
            lines.append(f"  {each.state!s:10} {step:>9}  {each.size:>15,}  {name}  {printable(each.finding.because)}")
        return "\n".join(lines)

    __repr__ = __str__

    def _summary(self) -> str:
        return ", ".join(f"{count} {state}" for state, count in self.counts.items()) or "no checkpoint"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td><b>{each.state}</b></td><td>{'' if each.step is None else each.step}</td>"
            f"<td style='text-align:right'>{each.size:,}</td><td>{html.escape(printable(each.path.name))}</td>"
            f"<td style='text-align:left'>{html.escape(printable(each.finding.because))}</td></tr>"
            for each in self.artefacts
        )
        head = "<tr><th>state</th><th>step</th><th>bytes</th><th>name</th><th>why</th></tr>"
        title = f"{html.escape(printable(str(self.directory)))}: {self._summary()}"
        return f"<table><caption>{title}</caption>{head}{rows}</table>"


def verify(directory: str | os.PathLike[str], deep: bool = False) -> DirectoryHealth:
    """Look at every artefact in a directory; `deep` also reads each to its end and compares hashes.

    A single file, or a directory that is itself one checkpoint (DCP, Hugging Face), is looked at as such.
    Raises UnreadableInput when the directory itself cannot be listed.
    """
    folder = Path(directory)
    listing = one_file(folder) if is_file(folder) else list_directory(folder)
    look = partial(look_at, deep=deep)
    if deep:  # hashing and reading release the interpreter's lock
        with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
            found = list(pool.map(look, listing.candidates))
    else:
        found = [look(each) for each in listing.candidates]
    found.sort(key=lambda each: (-1 if each.step is None else each.step, each.path.name), reverse=True)
    staging = [_staging(path) for path in listing.staging]
    return DirectoryHealth(folder, deep, (*found, *staging), listing.leftover_records)


def look_at(candidate: Candidate, deep: bool = False) -> Artefact:
    finding, record = verify_artefact(candidate.path, candidate.promised, deep)
    size, mtime = size_and_mtime(candidate.path)
    step = record.step if record and record.step is not None else candidate.step
    return Artefact(candidate.path, step, size, mtime, finding, record)


def list_directory(folder: Path) -> Listing:
    """Sort a directory's names into candidates, staging and records; opens no file."""
    try:
        return _sorted_out(folder)
    except OSError as error:
        raise UnreadableInput(
            f"{printable(str(folder))} cannot be listed ({error.strerror})", "name a directory of checkpoints"
        ) from error


def _sorted_out(folder: Path) -> Listing:
    with os.scandir(folder) as entries:
        found = list(entries)
    promised: dict[str, list[RecordName]] = {}
    others = []
    for entry in found:
        if entry.name.endswith(".manifest") and (parsed := parse_record_name(entry.name)):
            promised.setdefault(parsed.name, []).append(parsed)
        else:
            others.append(entry)
    staging = [folder / entry.name for entry in others if is_staging(entry.name)]
    plain = [entry for entry in others if not is_staging(entry.name)]
    candidates = [
        Candidate(folder / entry.name, _promised_step(entry.name, promised), tuple(promised.get(entry.name, ())))
        for entry in plain
        if entry.name in promised or _looks_like_one(entry)
    ]
    if not promised and not any(says_step(each.path.name) for each in candidates) and is_checkpoint_directory(folder):
        inside = [each for each in candidates if each.path.is_dir()]
        candidates = [Candidate(folder, step_of(folder.name), tuple(_records_of(folder))), *inside]
    present = {entry.name for entry in plain}
    leftovers = [folder / each.file_name for name, those in promised.items() if name not in present for each in those]
    return Listing(tuple(candidates), tuple(sorted(staging)), tuple(sorted(leftovers)))


def is_file(path: Path) -> bool:
    """False also for what cannot be looked at; whoever opens it next will say why."""
    try:
        return path.is_file()
    except OSError:
        return False


def one_file(path: Path) -> Listing:
    return Listing((Candidate(path, step_of(path.name), tuple(_records_of(path))),))


def _records_of(path: Path) -> list[RecordName]:
    try:
        return record_names(path.absolute().parent, path.name)
    except OSError:
        return []


def size_and_mtime(path: Path) -> tuple[int, float | None]:
    """Bytes (of a directory: of all its files) and the newest modification; an mtime of 0 means unknown."""
    try:
        if path.is_symlink() or not path.is_dir():
            status = os.lstat(path)
            return status.st_size, status.st_mtime or None
        statuses = [os.lstat(Path(top) / name) for top, _, names in os.walk(path, onerror=_raise) for name in names]
        times = [os.lstat(path).st_mtime, *(each.st_mtime for each in statuses)]
        return sum(each.st_size for each in statuses), max(times) if all(times) else None
    except OSError:
        return 0, None


def _raise(error: OSError) -> None:
    raise error


def printable(text: str) -> str:
    """A name that somebody else chose, without terminal codes and line ends."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "replace").decode() for c in text)


def _promised_step(name: str, promised: dict[str, list[RecordName]]) -> int | None:
    steps = [each.step for each in promised.get(name, ()) if each.step is not None]
    return max(steps) if steps else step_of(name)


def _looks_like_one(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith("."):
        return False
    if entry.is_symlink():
        return entry.name.endswith(SUFFIXES) and not _points_to_a_neighbour(entry)
    if entry.is_dir(follow_symlinks=False):
        return is_checkpoint_directory(Path(entry.path))
    return entry.name.endswith(SUFFIXES)


def _points_to_a_neighbour(entry: os.DirEntry[str]) -> bool:
    """`latest.pt -> step_810.pt` is a second name, not a second checkpoint."""
    return "/" not in str(Path(entry.path).readlink())


def _staging(path: Path) -> Artefact:
    size, mtime = size_and_mtime(path)
    staged = staged_for(path.name)
    writer = liveness(staged[1]) if staged else "unknown"
    age = "" if mtime is None else f", last touched {max(0.0, time.time() - mtime):,.0f} s ago"
    step = step_of(staged[0] if staged else path.name)
    return Artefact(path, step, size, mtime, Finding(State.STAGING, f"{WRITER[writer]}{age}"), writer=writer)
