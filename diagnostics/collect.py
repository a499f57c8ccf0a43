"""Everything that this pod can tell, as an incident folder that `diagnose` reads.

Every collector runs in a thread of its own and asks through children under deadlines, so the whole takes as
long as the slowest one is allowed. What was refused or silent is an entry in collection.jsonl with its
reason, and so is one that failed. Secrets are masked before a byte is written.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from .collectors import Collector, Piece, Scope, State, all_collectors, survey
from .errors import DiagnosticsError, UsageError
from .hangproof import Cancelled, LeftBehind, left_behind
from .localpath import local
from .masking import mask, mask_bytes

INDEX = "collection.jsonl"
Progress = Callable[[int, int, str], None]


class CollectorRaised(ResourceWarning):
    """A collector raised: kept from users, and an error in the tests, as one of a parser is."""


@dataclass
class Collection:
    """What was written where, and what was not to be had."""

    folder: Path
    entries: list[dict[str, object]] = field(default_factory=list)
    left_behind: list[LeftBehind] = field(default_factory=list)
    elapsed_s: float = 0.0

    def of(self, state: State) -> list[dict[str, object]]:
        return [entry for entry in self.entries if entry["state"] == state.value]

    def __repr__(self) -> str:
        count = len([*self.of(State.READ), *self.of(State.CUT)])
        lines = [f"{self.folder}: {count} files in {self.elapsed_s:.1f} s"]
        for state in (State.CUT, State.REFUSED, State.SILENT):
            lines += [
                f"{state.value:8} {entry['file'] or entry['collector']}: {entry['reason']}" for entry in self.of(state)
            ]
        lines += [f"left behind: pid {child.pid} ({child.about}) waits for {child.mount}" for child in self.left_behind]
        return "\n".join(lines)


def collect(
    out: str | Path, scope: Scope | None = None, *, only: Sequence[str] = (), on_progress: Progress | None = None
) -> Collection:
    """Collect into a new or empty folder on a local disk.

    `on_progress(done, total, collector)` is called as each one ends. Raises DiagnosticsError when the folder
    lies on a network volume (it may be the patient) or holds something, and Cancelled.
    """
    start = time.monotonic()
    scope = scope or Scope()
    chosen = _chosen(only)
    folder = _prepare(out)
    collection = Collection(folder)
    missing = survey(scope)
    if missing:
        _enter(collection, "processes", Piece("", b"", State.SILENT, missing))
    with ThreadPoolExecutor(len(chosen), thread_name_prefix="collect") as pool:
        jobs: dict[Future[None], str] = {
            pool.submit(_gather, collection, name, collector, scope): name for name, collector in chosen.items()
        }
        for done, job in enumerate(as_completed(jobs), start=1):
            job.result()
            if on_progress:
                on_progress(done, len(jobs), jobs[job])
    index = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in collection.entries)
    try:
        (folder / INDEX).write_text(mask(index), encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise DiagnosticsError(f"{folder} cannot be written: {error.strerror}", "name a folder with room") from error
    collection.left_behind = left_behind()
    collection.elapsed_s = time.monotonic() - start
    if scope.cancel.is_set():
        raise Cancelled("cancelled", f"what was collected until then is in {folder}")
    return collection


def _chosen(only: Sequence[str]) -> dict[str, Collector]:
    known = all_collectors()
    if unknown := [name for name in only if name not in known]:
        raise UsageError(f"no collector is called {unknown[0]}", f"the collectors are {', '.join(known)}")
    return {name: collector for name, collector in known.items() if not only or name in only}


def _prepare(out: str | Path) -> Path:
    folder = Path(local(str(out)))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise DiagnosticsError(f"{out} is not empty", "name a new folder: evidence is never overwritten")
    except OSError as error:
        raise DiagnosticsError(f"{out} cannot be made: {error.strerror}", "name another folder") from error
    return folder


def _gather(collection: Collection, name: str, collector: Collector, scope: Scope) -> None:
    try:
        for piece in collector.collect(scope):
            _write(collection, name, piece)
    except Cancelled:
        return
    except OSError as error:
        _enter(collection, name, Piece("", b"", State.REFUSED, str(error)))
    except Exception as error:
        fault = f"this collector failed: {type(error).__name__}: {error}"[:300]
        _enter(collection, name, Piece("", b"", State.REFUSED, fault))
        warnings.warn(CollectorRaised(f"{name}: {fault}"), stacklevel=2)


def _write(collection: Collection, name: str, piece: Piece) -> None:
    if piece.content:
        path = collection.folder / piece.file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(mask_bytes(piece.content))
    _enter(collection, name, piece)


def _enter(collection: Collection, name: str, piece: Piece) -> None:
    reason = piece.reason
    with suppress(UnicodeError):
        reason = reason.encode("utf-8", "replace").decode()
    collection.entries.append(
        {
            "collector": name, "state": piece.state.value, "reason": reason,
            "file": piece.file if piece.content else None, "elapsed_s": round(piece.elapsed_s, 3),
        }
    )  # fmt: skip
