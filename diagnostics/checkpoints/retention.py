"""Which steps stay, and what must not be touched whatever its step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..durable import staged_for
from .finding import State
from .health import Artefact, DirectoryHealth

RECENT_S = 300.0
DISTANT_PAST = 946_684_800.0  # the year 2000: a network volume that answers 1970 has not told the time


@dataclass(frozen=True)
class Retention:
    """Keep the newest `keep` whole steps, every step that `every` divides, and the `best` by a metric.

    `metric` is a name in the manifests' metrics; its smallest values are the best unless `largest`.
    """

    keep: int = 12
    every: int | None = None
    best: int = 0
    metric: str = "loss"
    largest: bool = False


def kept_steps(sides: Sequence[DirectoryHealth], retention: Retention) -> dict[int, str]:
    """The steps to keep on all sides, each with the reason; the same set whichever side it is asked for."""
    whole = [each for side in sides for each in side if each.state is State.COMPLETE and each.step is not None]
    steps = sorted({each.step for each in whole if each.step is not None}, reverse=True)
    reasons: dict[int, str] = {}
    for side in sides:
        last = last_whole(side)
        if last and last.step is not None:
            reasons[last.step] = f"the last whole one in {side.directory}"
    for step in steps[: retention.keep]:
        reasons.setdefault(step, f"one of the newest {retention.keep}")
    for step in steps:
        if retention.every and step % retention.every == 0:
            reasons.setdefault(step, f"every {retention.every} steps")
    for step in best_steps(whole, retention):
        reasons.setdefault(step, f"one of the {retention.best} best by {retention.metric}")
    return reasons


def last_whole(side: DirectoryHealth) -> Artefact | None:
    whole = [each for each in side if each.state is State.COMPLETE and each.step is not None]
    return max(whole, key=lambda each: each.step or 0, default=None)


def best_steps(whole: Iterable[Artefact], retention: Retention) -> list[int]:
    scored = {
        each.step: each.record.metrics[retention.metric]
        for each in whole
        if each.step is not None and each.record and retention.metric in each.record.metrics
    }
    numbers = {step: value for step, value in scored.items() if value == value}  # nan is nobody's best
    ranked = sorted(numbers, key=lambda step: (-numbers[step] if retention.largest else numbers[step], -step))
    return ranked[: retention.best]


def untouchable(artefact: Artefact, in_flight: set[str], now: float) -> str:
    """Why this artefact must stay whatever its step; empty when nothing forbids it."""
    if artefact.path.name in in_flight:
        return "a writer or a mirror has it in flight"
    if artefact.state is State.UNREADABLE:
        return "it cannot be read, which does not prove it bad"
    if artefact.state is State.UNLISTED:
        return "nothing proves what it is"
    if artefact.step is None:
        return "neither name nor manifest tells its step"
    return untold_time(artefact.mtime, now)


def untold_time(mtime: float | None, now: float) -> str:
    """Why a time forbids deletion: fresh, in the future, or no time at all ("unknown" is not "old")."""
    if mtime is None or mtime < DISTANT_PAST:
        return "the volume does not say when it was touched"
    if mtime > now:
        return "it was touched in the future, so one of the clocks is wrong"
    if now - mtime < RECENT_S:
        return f"it was touched {now - mtime:.0f} s ago and may be in flight: not within {RECENT_S:.0f} s"
    return ""


def in_flight(sides: Iterable[DirectoryHealth]) -> set[str]:
    """The names that somebody alive, or somebody who cannot be seen from here, is staging on any side."""
    found = set()
    for artefact in (each for side in sides for each in side if each.state is State.STAGING):
        if artefact.writer != "dead":
            staged = staged_for(artefact.path.name)
            found.add(staged[0] if staged else _name_behind(artefact.path.name))
    return found


def _name_behind(name: str) -> str:
    """`.step_810.pt.0123456789abcdef.mirror.part` and `step_810.pt.part` both stand for step_810.pt."""
    bare = name.removesuffix(".part").removesuffix(".tmp").removesuffix(".incomplete")
    if bare.endswith((".mirror", ".shared")):
        bare = bare.rpartition(".")[0].rpartition(".")[0]
    for mark in (".", "tmp-", "tmp_", "tmp."):
        bare = bare.removeprefix(mark)
    return bare
