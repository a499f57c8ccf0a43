"""Horovod's report of stalled tensors: which ranks have submitted them, or which have not.

    Stalled ops: HorovodAllreduce_loss_0 [ready ranks: 3], HorovodAllreduce_grad_1 [ready ranks: 2, 0, 1]
    Stalled ops: HorovodAllreduce_grad_1 [missing ranks: 3]
    Missing ranks:
    0: [HorovodAllreduce_grad_1, HorovodAllreduce_grad_2 ...]      (newer ones head the list with "Stalled ranks:")

Where some ranks wait in one tensor and the others in another, or two ranks each lack what the other has submitted, it
is a mismatch; else a tensor that some never joined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..evidence import Evidence, Severity
from ..evidence.collective import CollectiveMismatch, CollectiveStuck
from ..text import Text
from . import Parser
from ._job_lines import Message, messages

# HorovodAllreduce_loss_0 [ready ranks: 3]
OPERATION = re.compile(r"([\w./:-]{1,200}) \[(ready|missing) ranks: ?([\d, ]{1,400})\]")
# 0: [HorovodAllreduce_grad_1, HorovodAllreduce_grad_2 ...]
OF_A_RANK = re.compile(
    r"^(?:\[\d{1,4},\d{1,6}\]<std\w{3}>: ?)?(?:\[\w.{0,80}\] ?)?(\d{1,6}): \[([\w./:-]{1,200})([^\]]{0,4000})\]?$"
)
NAME = re.compile(r"[\w./:-]{2,200}")
FEW = 20  # tensors of one report; the gradients of a model are hundreds


CUT = "..."


class Lacks(NamedTuple):
    """The tensors that a rank has not submitted, and whether there are more than were printed."""

    tensors: frozenset[str]
    cut: bool


def read(text: Text) -> Iterator[Evidence]:
    listing = False
    lacks: dict[int, Lacks] = {}
    for message in messages(text, None):
        if "Missing ranks:" in message.text or "Stalled ranks:" in message.text:
            listing, lacks = True, {}
        elif listing and (found := OF_A_RANK.match(message.line.text[:5000]) or OF_A_RANK.match(message.text)):
            yield _stuck(text, message, found[2], missing=(int(found[1]),))
            tensors = {found[2], *NAME.findall(found[3])} - {CUT}
            yield from _crossed(text, message, lacks, int(found[1]), Lacks(frozenset(tensors), CUT in found[3]))
        elif found_all := OPERATION.findall(message.text):
            listing = False
            yield from _report(text, message, found_all)


def _crossed(
    text: Text, message: Message, lacks: dict[int, Lacks], rank: int, own: Lacks
) -> Iterator[CollectiveMismatch]:
    """A mismatch where this rank and an earlier one each lack what the other has submitted.

    A list that is cut short may hold more: it counts where it shares nothing with one that is whole, or where the one
    holds nothing but broadcasts and the other nothing but reductions.
    """
    for other, known in lacks.items():
        mine, theirs = own.tensors - known.tensors, known.tensors - own.tensors
        apart = own.tensors.isdisjoint(known.tensors) and not (own.cut and known.cut)
        kinds, others = ({_kind(name) for name in each.tensors} for each in (own, known))
        apart = apart or (len(kinds) == len(others) == 1 and kinds != others and None not in kinds | others)
        if mine and theirs and (apart or not (own.cut or known.cut)):
            calls = {f"rank {rank}": min(theirs), f"rank {other}": min(mine)}
            said = " and ".join(f"{who} waits in {name}" for who, name in calls.items())
            yield CollectiveMismatch(**message.facts(text), severity=Severity.CRITICAL, text=said, calls=calls)
            break
    lacks[rank] = own


def _kind(name: str) -> str | None:
    """Which operation a tensor was submitted to, by the name that Horovod gives it."""
    found = KIND.search(name)
    return found[0].lower() if found else None


KIND = re.compile(
    "(?<=Horovod)(?:Broadcast|Allreduce|Allgather|Alltoall|Reducescatter)"
    "|^(?:broadcast|allreduce|allgather|alltoall)(?=[._])"
)


def _report(text: Text, message: Message, found: list[tuple[str, str, str]]) -> Iterator[Evidence]:
    ready = {name: _ranks(ranks) for name, word, ranks in found if word == "ready"}
    groups = set(ready.values())
    if len(groups) > 1 and not set.intersection(*(set(ranks) for ranks in groups)):
        yield CollectiveMismatch(
            **message.facts(text),
            severity=Severity.CRITICAL,
            text="; ".join(f"ranks {', '.join(map(str, ranks))} wait in {name}" for name, ranks in _one_each(ready)),
            calls={", ".join(map(str, ranks)): name for name, ranks in _one_each(ready)},
        )
    for name, word, ranks in found[:FEW]:
        if word == "missing":
            yield _stuck(text, message, name, missing=_ranks(ranks))
        elif len(groups) == 1:
            yield _stuck(text, message, name, joined=_ranks(ranks))


def _one_each(ready: dict[str, tuple[int, ...]]) -> list[tuple[str, tuple[int, ...]]]:
    """One tensor for each set of ranks, the first one named."""
    first: dict[tuple[int, ...], str] = {}
    for name, ranks in ready.items():
        first.setdefault(ranks, name)
    return [(name, ranks) for ranks, name in first.items()]


def _ranks(text: str) -> tuple[int, ...]:
    return tuple(sorted(int(each) for each in text.replace(" ", "").split(",") if each))


def _stuck(
    text: Text, message: Message, name: str, missing: tuple[int, ...] = (), joined: tuple[int, ...] = ()
) -> CollectiveStuck:
    return CollectiveStuck(
        **message.facts(text),
        severity=Severity.CRITICAL,
        operation=name,
        sequence=None,
        group=None,
        missing_ranks=missing,
        joined_ranks=joined,
    )


PARSER = Parser(
    tool="horovod",
    medium="collectives",
    footprint=r"\[(ready|missing) ranks: ?[\d, ]+\]|(^|[]>:] ?)(Missing|Stalled) ranks:\s{0,4}$",
    read=read,
)
