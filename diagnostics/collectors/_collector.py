"""What a collector is, the pieces it yields, and the two ways in which it gets them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..evidence.probe import Outcome
from ..hangproof import run
from ..head_and_tail import left_out
from ..question import Question

if TYPE_CHECKING:
    from ._scope import Scope


class State(StrEnum):
    """What became of a piece. A silent one may hold what came before the silence."""

    READ = "read"
    CUT = "cut"  # read, and too long to be kept whole
    REFUSED = "refused"
    SILENT = "silent"


@dataclass(frozen=True)
class Piece:
    """One file of the incident folder, or the reason why there is none (`content` is empty)."""

    file: str
    content: bytes
    state: State = State.READ
    reason: str = ""
    elapsed_s: float = 0.0

    @property
    def answered(self) -> bool:
        return self.state in (State.READ, State.CUT)


@dataclass(frozen=True)
class Collector:
    """One thing that the pod is asked.

    Parameters
    ----------
    title : what it brings, for people
    collect : yields its pieces; called in a thread of its own, beside the other collectors
    """

    title: str
    collect: Callable[[Scope], Iterator[Piece]]


@cache
def all_collectors() -> dict[str, Collector]:
    """Every collector of this folder by the name of its module."""
    folder = str(Path(__file__).parent)
    names = sorted(module.name for module in pkgutil.iter_modules([folder]) if not module.name.startswith("_"))
    return {name: importlib.import_module(f"{__package__}.{name}").COLLECTOR for name in names}


def command_piece(
    scope: Scope, file: str, command: Sequence[str], *, deadline_s: float = 8.0, mount: str = "/proc", head: str = ""
) -> Piece:
    """What a command prints, its head and its end where that is too long.

    A status other than 0 is refused, with the last line of its errors as reason.
    """
    done = run(command, mount=mount, deadline_s=deadline_s, about=file, cancel=scope.cancel, limit=scope.most_bytes)
    content = head.encode() + done.output if done.output else b""
    # py-spy prints its own call stack below the error
    said = done.errors.decode(errors="replace").partition("\nStack backtrace:")[0].strip()
    reason = said.rpartition("\n")[2].strip()[:300]
    if done.status is None:
        return Piece(file, content, State.SILENT, f"no answer in {deadline_s:g} s", done.elapsed_s)
    if done.status:
        reason = f"{command[0]} is not installed" if done.status == 127 else reason or f"status {done.status}"
        return Piece(file, content, State.REFUSED, reason, done.elapsed_s)
    if done.cut:
        return Piece(file, content, State.CUT, left_out(done.cut), done.elapsed_s)
    return Piece(file, content, State.READ, "" if content else "it printed nothing", done.elapsed_s)


def question_piece(
    scope: Scope, file: str, question: Question, *, deadline_s: float = 8.0, mount: str = "/proc", **arguments: Any
) -> Piece:
    """What a question says in `say(text=...)`; of a silent one, what it said before it fell silent.

    An answer may hold a `reason`, and be `cut`.
    """
    said: list[str] = []
    answer = question.ask(
        mount, deadline_s, cancel=scope.cancel, on_progress=lambda told: said.append(told.get("text", "")), **arguments
    )
    content = "".join(said).encode("utf-8", "surrogateescape")
    states = {Outcome.ANSWERED: State.READ, Outcome.REFUSED: State.REFUSED, Outcome.SILENT: State.SILENT}
    state = State.CUT if answer.values.get("cut") else states[answer.outcome]
    reason = f"{answer.error}: {answer.text}" if answer.error else answer.text
    if answer.outcome is Outcome.ANSWERED:
        reason = str(answer.values.get("reason", ""))
    return Piece(file, content, state, reason, answer.elapsed_s)
