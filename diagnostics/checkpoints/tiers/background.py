"""The threads behind the tiers: bounded, retrying, loud, and never in the trainer's way."""

from __future__ import annotations

import html
import logging
import os
import random
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from ...errors import DiagnosticsError, NotWhole
from ..finding import State
from ..health import Artefact, list_directory, look_at
from ..pacing import Pace
from ..pruning import plan_prune
from ..retention import Retention

logger = logging.getLogger("diagnostics.checkpoints")
NICENESS = 10


class Tier(Protocol):
    """A far end. `store` returns how the far end proved that it holds the bytes, and raises otherwise."""

    name: str
    weights_only: bool

    def store(self, artefact: Artefact, pace: Pace) -> str: ...


@dataclass(frozen=True)
class TierStatus:
    """Where a tier stands. `state` is idle, copying, waiting (to try again) or failed (gave a step up)."""

    name: str
    state: str = "idle"
    done_step: int | None = None
    proof: str = ""
    current_step: int | None = None
    waiting_step: int | None = None
    attempt: int = 0
    error: str = ""
    skipped: tuple[int, ...] = ()
    seconds: float = 0.0

    def __str__(self) -> str:
        parts = [f"{self.name}: {self.state}"]
        if self.done_step is not None:
            parts.append(f"step {self.done_step} is there ({self.proof}, {self.seconds:.1f} s)")
        if self.current_step is not None:
            parts.append(f"step {self.current_step} under way, attempt {self.attempt}")
        if self.waiting_step is not None:
            parts.append(f"step {self.waiting_step} waits")
        if self.error:
            parts.append(f"last error: {self.error}")
        return ", ".join(parts)


@dataclass(frozen=True)
class TiersStatus:
    """All tiers at one moment; the local one first."""

    tiers: tuple[TierStatus, ...]

    def __iter__(self) -> Iterator[TierStatus]:
        return iter(self.tiers)

    @property
    def failed(self) -> tuple[TierStatus, ...]:
        return tuple(each for each in self.tiers if each.error)

    def as_json(self) -> list[dict[str, Any]]:
        return [each.__dict__ for each in self.tiers]

    def __str__(self) -> str:
        return "\n".join(map(str, self.tiers))

    def _repr_html_(self) -> str:
        rows = "".join(f"<li>{html.escape(str(each))}</li>" for each in self.tiers)
        return f"<ul>{rows}</ul>"


@dataclass(frozen=True)
class Backoff:
    """How often and how long: waits double from `first_s` to at most `longest_s`, each with some chance in it."""

    attempts: int = 6
    first_s: float = 5.0
    longest_s: float = 300.0

    def wait_s(self, attempt: int) -> float:
        return min(self.longest_s, self.first_s * 2.0 ** (attempt - 1)) * random.uniform(0.75, 1.25)


class Tiers:
    """Local retention and the far ends of one run's directory. Close it (or use `with`) to wait for the last copy."""

    def __init__(
        self,
        directory: str | os.PathLike[str],
        tiers: Sequence[Tier],
        *,
        keep: int = 2,
        bytes_per_s: float | None = None,
        backoff: Backoff | None = None,
    ) -> None:
        self.directory = Path(directory)
        self.keep = keep
        self._local = TierStatus("local")
        self._workers = [_Worker(each, self.directory, bytes_per_s, backoff or Backoff()) for each in tiers]

    def saved(self, step: int, weights: str | os.PathLike[str] | None = None) -> None:
        """Tell the tiers that a step was published; returns at once and raises nothing.

        `weights` is the file that tiers with `weights_only` send; without it they are told to send nothing,
        which their status shows as an error.
        """
        try:
            full = self._artefact(step, weights) if not all(each.tier.weights_only for each in self._workers) else None
            for worker in self._workers:
                worker.offer(self._weights(weights, step) if worker.tier.weights_only else full)
            self._prune(step)
        except (DiagnosticsError, OSError) as error:
            self._local = replace(self._local, state="failed", error=str(error))
            logger.error("checkpoint tiers: step %s: %s", step, error)

    def status(self) -> TiersStatus:
        return TiersStatus((self._local, *(worker.status for worker in self._workers)))

    def close(self, timeout_s: float | None = None) -> TiersStatus:
        """Let every tier finish what it has (for at most so long), then stop."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        for worker in self._workers:
            worker.stop(None if deadline is None else max(0.0, deadline - time.monotonic()))
        return self.status()

    def __enter__(self) -> Tiers:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _artefact(self, step: int, weights: str | os.PathLike[str] | None) -> Artefact:
        """The step's full checkpoint: the largest one of that step, when weights lie beside it."""
        candidates = [each for each in list_directory(self.directory).candidates if each.step == step]
        found = [look_at(each) for each in candidates if weights is None or each.path != Path(weights)]
        whole = [each for each in found if each.state is State.COMPLETE]
        if whole:
            return max(whole, key=lambda each: each.size)
        raise NotWhole(f"step {step} is not whole in {self.directory}", "call saved() after the publish block")

    def _weights(self, weights: str | os.PathLike[str] | None, step: int) -> Artefact | None:
        if weights is None:
            logger.error("checkpoint tiers: step %s: no weights were given to a tier that sends nothing else", step)
            return None
        path = Path(weights)
        for candidate in list_directory(path.parent).candidates:
            if candidate.path.name == path.name:
                return replace(look_at(candidate), step=step)
        raise NotWhole(f"{path} is no checkpoint", "publish the weights first")

    def _prune(self, step: int) -> None:
        """Keep the newest few; what a tier still reads, and what was touched just now, stays a little longer."""
        needed = {number for worker in self._workers for number in worker.reading()}
        plan_prune(self.directory, retention=Retention(keep=self.keep), needed=needed).execute()
        self._local = TierStatus("local", done_step=step, proof="published")


class _Worker:
    """One tier's thread."""

    def __init__(self, tier: Tier, directory: Path, bytes_per_s: float | None, backoff: Backoff) -> None:
        self.tier = tier
        self.status = TierStatus(tier.name)
        self._directory, self._bytes_per_s, self._backoff = directory, bytes_per_s, backoff
        self._changed = threading.Condition()
        self._waiting: Artefact | None = None
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=f"checkpoint-{tier.name}", daemon=True)
        self._thread.start()

    def offer(self, artefact: Artefact | None) -> None:
        with self._changed:
            if artefact is None:
                self.status = replace(self.status, error="no weights were given")
                return
            if self._waiting and self._waiting.step is not None:
                logger.warning(
                    "checkpoint tier %s: step %s is skipped for a newer one", self.tier.name, self._waiting.step
                )
                self.status = replace(self.status, skipped=(*self.status.skipped[-99:], self._waiting.step))
            self._waiting = artefact
            self.status = replace(self.status, waiting_step=artefact.step)
            self._changed.notify_all()

    def reading(self) -> list[int]:
        """The steps that must not be deleted under its hands."""
        status = self.status
        return [step for step in (status.current_step, status.waiting_step) if step is not None]

    def stop(self, timeout_s: float | None) -> None:
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        self._thread.join(timeout_s)

    def _run(self) -> None:
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
        while (artefact := self._next()) is not None:
            self._send(artefact)

    def _next(self) -> Artefact | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._stopping)
            artefact, self._waiting = self._waiting, None
            if artefact:
                self.status = replace(self.status, state="copying", current_step=artefact.step, waiting_step=None)
            return artefact

    def _send(self, artefact: Artefact) -> None:
        for attempt in range(1, self._backoff.attempts + 1):
            start = time.monotonic()
            self.status = replace(self.status, state="copying", attempt=attempt)
            try:
                proof = self.tier.store(artefact, Pace(self._directory, self._bytes_per_s))
            except Exception as error:  # a library's own errors too: nothing here may end the thread in silence
                self._tell(artefact, attempt, error)
                if attempt == self._backoff.attempts or self._newer_came(self._backoff.wait_s(attempt)):
                    break
            else:
                self.status = replace(
                    self.status, state="idle", done_step=artefact.step, proof=proof, current_step=None, attempt=0,
                    error="", seconds=time.monotonic() - start,
                )  # fmt: skip
                return
        self.status = replace(self.status, state="failed", current_step=None)

    def _tell(self, artefact: Artefact, attempt: int, error: Exception) -> None:
        text = str(error) if isinstance(error, DiagnosticsError) else f"{type(error).__name__}: {error}"
        if error.__cause__ and not isinstance(error, DiagnosticsError):
            text += f" ({type(error.__cause__).__name__}: {error.__cause__})"
        self.status = replace(self.status, state="waiting", error=text)
        logger.error(
            "checkpoint tier %s: step %s failed, attempt %d of %d: %s",
            self.tier.name, artefact.step, attempt, self._backoff.attempts, text,
        )  # fmt: skip

    def _newer_came(self, seconds: float) -> bool:
        """Wait before the next try; True when a newer step came meanwhile, which is then worth more."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._stopping, timeout=seconds)
            return self._waiting is not None
