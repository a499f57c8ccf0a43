"""The collectives that NCCL logs with NCCL_DEBUG_SUBSYS=COLL, compared between the ranks of one communicator.

    n1:45006:45006 [0] NCCL INFO AllReduce: opCount 28c sendbuff 0x7f5d recvbuff 0x7f5d count 9984512 datatype 7 op 0 root 0 comm 0x55be [nranks=4] stream 0x55bf
    n1:45006:45090 [0] NCCL INFO comm 0x55be rank 0 nranks 4 cudaDev 0 busId 4f000 commId 0xb081437536642957 - Init COMPLETE

A communicator's address is each process's own; its commId is the same on all ranks. Where the log does not tell it, the
processes are compared that have one communicator only, and no more of them than it has ranks. Sends and receives are
counted too, by those who take part: a communicator that has any is not compared.
"""  # noqa: E501

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ..evidence import Severity
from ..evidence.collective import CollectiveMismatch
from ..text import Text
from ._job_lines import Message

CALL = re.compile(
    "^(AllReduce|AllGather|Broadcast|Reduce|ReduceScatter): opCount ([0-9a-f]{1,16}) (?:.{1,200}? )?count "
    r"(\d{1,18}) .{1,100}? comm (0x[0-9a-f]{1,16}) \[nranks=(\d{1,6})\]"
)
POINT_TO_POINT = re.compile(r"^(?:Send|Recv): opCount [0-9a-f]{1,16} .{1,300}? comm (0x[0-9a-f]{1,16})")
INIT = re.compile(
    r"comm (0x[0-9a-f]{1,16}) rank (\d{1,6}) n[rR]anks (\d{1,6}) .{0,200}commId (0x[0-9a-f]{1,20}) .{0,40}COMPLETE"
)
REMEMBERED = 20_000  # calls of one communicator


class Call(NamedTuple):
    """One call as one rank made it."""

    what: str
    message: Message


@dataclass
class Communicator:
    """One rank's end of a communicator."""

    rank: str
    group: str | None = None
    nranks: int = 0
    sends: bool = False
    calls: dict[int, Call] = field(default_factory=dict)


class Calls:
    """What the processes of a log called, as it is read."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], dict[str, Communicator]] = defaultdict(dict)

    def note(self, process: tuple[str, str], gpu: str, said: str, message: Message) -> None:
        """Keep a call, or the name of a communicator."""
        if found := CALL.match(said):
            end = self._known[process].setdefault(found[4], Communicator(f"GPU {gpu} of process {process[1]}"))
            end.group, end.nranks = end.group or f"nranks={found[5]}", int(found[5])
            if len(end.calls) < REMEMBERED:
                end.calls.setdefault(int(found[2], 16), Call(f"{found[1]} of {found[3]}", message))
        elif found := INIT.search(said):
            self._known[process][found[1]] = Communicator(f"rank {found[2]}", found[4], int(found[3]))
        elif found := POINT_TO_POINT.match(said):
            self._known[process].setdefault(found[1], Communicator(f"GPU {gpu} of process {process[1]}")).sends = True

    def mismatches(self, text: Text) -> Iterator[CollectiveMismatch]:
        """For each communicator the first call in which two ranks differ."""
        groups: dict[str, list[Communicator]] = defaultdict(list)
        for ends in self._known.values():
            called = [end for end in ends.values() if end.calls and end.group]
            for end in called:
                if len(called) == 1 or not (end.group or "").startswith("nranks="):
                    groups[end.group or ""].append(end)
        for ends_of_one in groups.values():
            if len(ends_of_one) <= ends_of_one[0].nranks and not any(end.sends for end in ends_of_one):
                yield from _first_difference(text, ends_of_one)


def _first_difference(text: Text, ends: list[Communicator]) -> Iterator[CollectiveMismatch]:
    made: dict[int, list[tuple[str, Call]]] = defaultdict(list)
    for end in ends:
        for number, call in end.calls.items():
            made[number].append((end.rank, call))
    for number in sorted(made):
        if len({call.what for _, call in made[number]}) > 1:
            calls = {rank: call.what for rank, call in made[number]}
            said = "; ".join(f"{rank}: {what}" for rank, what in list(calls.items())[:8])
            facts = made[number][0][1].message.facts(text)
            yield CollectiveMismatch(**facts, severity=Severity.CRITICAL, text=f"call {number:x}: {said}", calls=calls)
            return
