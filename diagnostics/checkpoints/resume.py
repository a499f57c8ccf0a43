"""Resume: the newest step that is really whole on any side, and why each newer one was refused."""

from __future__ import annotations

import heapq
import html
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import NothingToResume, UnreadableInput, UsageError
from .finding import State
from .health import Candidate, list_directory, look_at, printable


@dataclass(frozen=True)
class Rejection:
    """A newer candidate (or a whole side) that was not chosen."""

    path: Path
    step: int | None
    state: str
    because: str

    def __str__(self) -> str:
        step = "" if self.step is None else f"step {self.step} "
        return f"{step}{printable(str(self.path))}: {self.state}, {printable(self.because)}"


@dataclass(frozen=True)
class ResumePoint:
    """Where to go on: `torch.load(point.path)`. A path-like object, so it can also be opened as it is."""

    path: Path
    step: int
    side: Path
    proof: str
    because: str
    rejected: tuple[Rejection, ...] = ()

    def __fspath__(self) -> str:
        return str(self.path)

    def as_json(self) -> dict[str, Any]:
        return {
            "path": str(self.path),
            "step": self.step,
            "side": str(self.side),
            "proof": self.proof,
            "because": self.because,
            "rejected": [
                {"path": str(each.path), "step": each.step, "state": each.state, "because": each.because}
                for each in self.rejected
            ],
        }

    def __str__(self) -> str:
        lines = [f"resume from step {self.step}: {printable(str(self.path))} ({self.proof}: {self.because})"]
        return "\n".join([*lines, *(f"  not {each}" for each in self.rejected)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        refused = "".join(f"<li>not {html.escape(str(each))}</li>" for each in self.rejected)
        path = html.escape(printable(str(self.path)))
        return f"<p>Resume from <b>step {self.step}</b>: {path} ({html.escape(self.because)})</p><ul>{refused}</ul>"


def resume_point(*sides: str | os.PathLike[str], deep: bool = False) -> ResumePoint:
    """The newest whole checkpoint on any side; of two sides with the same step, the one named first.

    Parameters
    ----------
    sides : directories, the primary first, then its mirrors
    deep : compare content hashes too, instead of size and structure only

    Raises NothingToResume, which says what was found instead. It never returns step 0 for "nothing".
    """
    for each in sides:
        if "://" in os.fspath(each):
            raise UsageError(
                f"{os.fspath(each)} is no directory", "copy it back, its .manifest files included, and name that copy"
            )
    rejected: list[Rejection] = []
    queue = _newest_first([Path(each) for each in sides], rejected)
    heapq.heapify(queue)
    while queue:
        place, candidate = heapq.heappop(queue)
        artefact = look_at(candidate, deep)
        finding, step = artefact.finding, artefact.step
        if artefact.state is not State.COMPLETE or step is None:
            rejected.append(Rejection(artefact.path, step, str(artefact.state), finding.because))
        elif step < -place.minus_step:  # a name used again, whose newest record is of a save that never came through
            heapq.heappush(queue, (place._replace(minus_step=-step), candidate))
            rejected.append(
                Rejection(artefact.path, -place.minus_step, "never published", f"it still holds step {step}")
            )
        else:
            side = artefact.path.parent
            return ResumePoint(artefact.path, step, side, finding.proof, finding.because, tuple(rejected))
    raise NothingToResume(_nothing(sides, rejected), "start from step 0 only if you mean to: say so explicitly")


class Place(NamedTuple):
    """Where a candidate stands in the queue: the newest step first, then the side named first."""

    minus_step: int
    side: int
    name: str


def _newest_first(sides: list[Path], rejected: list[Rejection]) -> list[tuple[Place, Candidate]]:
    found = []
    for order, side in enumerate(sides):
        try:
            candidates = list_directory(side).candidates
        except UnreadableInput as error:
            rejected.append(Rejection(side, None, "unreadable", error.problem))
            continue
        for each in candidates:
            if each.step is None:
                rejected.append(Rejection(each.path, None, "no step", "neither name nor manifest tells its step"))
            else:
                found.append((Place(-each.step, order, each.path.name), each))
    return found


def _nothing(sides: tuple[str | os.PathLike[str], ...], rejected: list[Rejection]) -> str:
    where = ", ".join(printable(os.fspath(each)) for each in sides) or "no directory at all"
    reasons = "; ".join(str(each) for each in rejected[:5])
    more = f" and {len(rejected) - 5} more" if len(rejected) > 5 else ""
    return f"no whole checkpoint in {where}" + (f" ({reasons}{more})" if reasons else " (nothing there)")
