"""Prune: plan first, look at the plan, then do it. What is not certainly old, spare and done with stays."""

from __future__ import annotations

import html
import os
import shutil
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..durable import staging_name, sync_directory
from ..errors import CheckpointError, UsageError
from .finding import State
from .health import Artefact, Candidate, DirectoryHealth, list_directory, look_at, printable, verify
from .manifest import parse_record_name, record_names
from .retention import Retention, in_flight, kept_steps, last_whole, untold_time, untouchable
from .volume import free_bytes


@dataclass(frozen=True)
class PruneItem:
    """What becomes of one artefact, and why. `inode` and `mtime_ns` are those of the moment of planning."""

    artefact: Artefact
    side: Path
    delete: bool
    because: str
    identity: tuple[int, int, int] = (0, 0, 0)

    def as_json(self) -> dict[str, Any]:
        return {
            "path": str(self.artefact.path),
            "step": self.artefact.step,
            "size": self.artefact.size,
            "action": "delete" if self.delete else "keep",
            "because": self.because,
        }


@dataclass(frozen=True)
class PruneOutcome:
    """What was done: what is gone, and what was spared or could not be deleted, with the reason."""

    deleted: tuple[Path, ...]
    spared: tuple[tuple[Path, str], ...]
    freed: int
    failed: int = 0

    def as_json(self) -> dict[str, Any]:
        spared = [{"path": str(path), "because": because} for path, because in self.spared]
        return {"deleted": [str(path) for path in self.deleted], "spared": spared, "freed_bytes": self.freed}

    def __str__(self) -> str:
        lines = [f"deleted {len(self.deleted)}, {self.freed:,} bytes freed"]
        return "\n".join([*lines, *(f"  spared {printable(str(path))}: {because}" for path, because in self.spared)])


@dataclass(frozen=True)
class PrunePlan:
    """What would be deleted on every side. Nothing happens before `execute`."""

    sides: tuple[Path, ...]
    items: tuple[PruneItem, ...]
    room_needed: int = 0
    room_free: int = 0
    notes: tuple[str, ...] = field(default=())

    @property
    def deletions(self) -> tuple[PruneItem, ...]:
        return tuple(each for each in self.items if each.delete)

    @property
    def freed(self) -> int:
        """Bytes that the deletions free, over all sides."""
        return sum(each.artefact.size for each in self.deletions)

    @property
    def makes_room(self) -> bool:
        """Whether the next save fits on the first side once the plan is carried out."""
        here = sum(each.artefact.size for each in self.deletions if each.side == self.sides[0])
        return self.room_free + here >= self.room_needed

    def as_json(self) -> dict[str, Any]:
        return {
            "sides": [str(each) for each in self.sides],
            "freed_bytes": self.freed,
            "room_needed": self.room_needed,
            "room_free": self.room_free,
            "makes_room": self.makes_room,
            "notes": list(self.notes),
            "items": [each.as_json() for each in self.items],
        }

    def __str__(self) -> str:
        lines = [f"{len(self.deletions)} of {len(self.items)} to delete, {self.freed:,} bytes", *self.notes]
        for each in self.items:
            action, step = ("delete" if each.delete else "keep"), each.artefact.step
            path = printable(str(each.artefact.path))
            lines.append(
                f"  {action:6} {'-' if step is None else step:>9}  {each.artefact.size:>15,}  {path}  {each.because}"
            )
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td><b>{'delete' if each.delete else 'keep'}</b></td><td>{each.artefact.step}</td>"
            f"<td style='text-align:right'>{each.artefact.size:,}</td>"
            f"<td>{html.escape(printable(str(each.artefact.path)))}</td><td>{html.escape(each.because)}</td></tr>"
            for each in self.items
        )
        head = "<tr><th>action</th><th>step</th><th>bytes</th><th>path</th><th>why</th></tr>"
        return f"<table><caption>{html.escape(str(self).splitlines()[0])}</caption>{head}{rows}</table>"

    def execute(self) -> PruneOutcome:
        """Delete what was planned, looking again at each before it goes. Raises CheckpointError when room was
        asked for and cannot be made; what fails on the way is in the outcome."""
        if not self.makes_room:
            raise CheckpointError(
                f"{self.sides[0]} cannot be given the {self.room_needed:,} bytes that the next save needs "
                f"({self.room_free:,} are free)",
                "nothing was deleted; move the run to a larger volume or lower what is kept",
            )
        deleted, spared, freed, failed = [], [], 0, 0
        for item in sorted(self.deletions, key=lambda each: each.artefact.step or 0):
            try:
                refusal = _second_thoughts(item)
                if not refusal:
                    _delete(item.artefact.path)
                    deleted.append(item.artefact.path)
                    freed += item.artefact.size
            except OSError as error:
                refusal = f"it could not be deleted ({error.strerror})"
                failed += 1
            if refusal:
                spared.append((item.artefact.path, refusal))
        for side in {item.side for item in self.deletions}:
            with suppress(OSError):  # an undeleted name after a power loss is no harm
                sync_directory(side)
        return PruneOutcome(tuple(deleted), tuple(spared), freed, failed)


def plan_prune(
    *sides: str | os.PathLike[str],
    retention: Retention | None = None,
    make_room: int | None = None,
    needed: Collection[int] = (),
    deep: bool = False,
) -> PrunePlan:
    """What to delete on every side so that each keeps the same set of steps.

    Parameters
    ----------
    sides : the primary directory, then its mirrors
    make_room : bytes that the next save needs on the first side; 0 means as many as its largest checkpoint.
        When the retention alone does not free them, older kept steps go too, on that side only and oldest
        first, but never the last whole one
    needed : steps that somebody else (an upload under way) still reads
    deep : count only those as whole whose content hash was compared

    Raises UnreadableInput when a side cannot be listed: what cannot be seen must not steer a deletion.
    """
    retention = retention or Retention()
    if retention.keep < 1:
        raise UsageError("keeping no checkpoint at all is not pruning", "keep at least 1")
    if not sides:
        raise UsageError("no directory was given", "name the primary directory, then its mirrors")
    healths = [verify(each, deep) for each in sides]
    now, busy = time.time(), in_flight(healths)
    keeping = kept_steps(healths, retention)
    keeping.update(dict.fromkeys(needed, "somebody still reads it"))
    items = [_judge(each, health, keeping, busy, now) for health in healths for each in health]
    items += [_judge_record(each, health, now) for health in healths for each in health.leftover_records]
    plan = PrunePlan(tuple(health.directory for health in healths), tuple(items))
    return plan if make_room is None else _with_room(plan, healths[0], make_room, busy, set(needed), now)


def _judge(artefact: Artefact, side: DirectoryHealth, keeping: dict[int, str], busy: set[str], now: float) -> PruneItem:
    if artefact.state is State.STAGING:
        orphan = artefact.writer == "dead"
        because = "the orphan of a dead writer" if orphan else artefact.finding.because
        return PruneItem(artefact, side.directory, orphan, because, _identity(artefact.path))
    reason = untouchable(artefact, busy, now) or keeping.get(artefact.step or 0, "")
    if reason and artefact.finding.is_broken:
        reason = f"{artefact.state}, and {reason}"
    last = last_whole(side)
    if not reason and (last is None or (artefact.step or 0) >= (last.step or 0)):
        reason = "there is no newer whole one on this side to fall back on"
    because = reason or f"{artefact.state}; its step is in no set to keep"
    return PruneItem(artefact, side.directory, not reason, because, _identity(artefact.path))


def _judge_record(path: Path, side: DirectoryHealth, now: float) -> PruneItem:
    """The manifest of a checkpoint that is gone, or that is about to get its name."""
    artefact = look_at(Candidate(path, None, ()))
    reason = untold_time(artefact.mtime, now)
    return PruneItem(
        artefact, side.directory, not reason, reason or "a manifest without its checkpoint", _identity(path)
    )


def _with_room(
    plan: PrunePlan, side: DirectoryHealth, room: int, busy: set[str], needed: set[int], now: float
) -> PrunePlan:
    """Give up kept steps of the first side, oldest first, until the next save fits."""
    whole = [each for each in side if each.state is State.COMPLETE]
    room = room or max((each.size for each in whole), default=0)
    free = free_bytes(side.directory)
    last = last_whole(side)
    items, notes = list(plan.items), []
    gained = free + sum(each.artefact.size for each in items if each.delete and each.side == side.directory)
    for artefact in sorted(whole, key=lambda each: each.step or 0):
        if gained >= room:
            break
        index = next(n for n, each in enumerate(items) if each.artefact is artefact)
        if items[index].delete or artefact is last or artefact.step in needed or untouchable(artefact, busy, now):
            continue
        items[index] = PruneItem(
            artefact, side.directory, True, "to make room for the next save", items[index].identity
        )
        gained += artefact.size
    if gained < room:
        notes.append(f"the next save needs {room:,} bytes; only {gained:,} can be had without touching what must stay")
    return PrunePlan(plan.sides, tuple(items), room, free, tuple(notes))


def _second_thoughts(item: PruneItem) -> str:
    """What has changed since the plan was made; empty when nothing has."""
    path = item.artefact.path
    if _identity(path) != item.identity:
        return "it has changed since the plan was made"
    if item.artefact.state is State.STAGING or parse_record_name(path.name):
        return ""
    others = [each for each in list_directory(item.side).candidates if each.path != path]
    steps = sorted((each for each in others if each.step is not None), key=lambda each: each.step or 0, reverse=True)
    if not any(look_at(each).state is State.COMPLETE for each in steps if (each.step or 0) > (item.artefact.step or 0)):
        return "no newer whole one is left to fall back on"
    return ""


def _delete(path: Path) -> None:
    """A directory gives its name up before it is emptied; the record goes last, so it never misses its file."""
    if path.is_dir() and not path.is_symlink():
        aside = path if path.name.endswith(".part") else path.with_name(staging_name(path.name))
        if aside != path:
            path.replace(aside)
        shutil.rmtree(aside)
    else:
        path.unlink(missing_ok=True)
    for promised in record_names(path.parent, path.name):
        (path.parent / promised.file_name).unlink(missing_ok=True)


def _identity(path: Path) -> tuple[int, int, int]:
    try:
        status = os.lstat(path)
    except OSError:
        return 0, 0, 0
    return status.st_ino, status.st_size, status.st_mtime_ns
