"""Who joined a collective and who did not, as people sum up a flight recorder: one collective a line.

    mesh_shard      ALLTOALL_BASE #11         joined: 0-5,8-63   missing: 6,7
    ALLREDUCE seq=204   joined: 0,1,2   missing: 3

Ranks are numbers and ranges of them. A line in which nobody is missing is skipped, and so is a torn one
of more ranks than any job has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.job import CollectiveStuck
from ..text import Text
from . import Parser
from ._snapshot import source

_RANKS = r"\d{1,6}(?:-\d{1,6})?(?: ?, ?\d{1,6}(?:-\d{1,6})?){0,400}"
ROW = re.compile(
    rf"^\s{{0,8}}(?:PG {{1,4}})?(?:(?P<group>[\w.:/-]{{1,80}}) {{1,40}})?"
    rf"(?P<operation>(?:nccl:)?(?:_?all_?(?:gather|reduce|to_?all)|reduce|broadcast|barrier|gather|scatter)\w{{0,20}})"
    rf"(?: {{1,10}}(?:#|seq(?:_?id)?[ =:]{{1,2}}){{0,2}}(?P<sequence>\d{{1,12}}))?[ |:]{{1,40}}joined[ :=]{{1,4}}"
    rf"(?P<joined>{_RANKS})[ ;|,]{{1,40}}missing[ :=]{{1,4}}(?P<missing>{_RANKS})\s{{0,8}}$",
    re.I,
)
MOST = 100_000  # ranks of a list, all its ranges together: no job has more


def read(text: Text) -> Iterator[CollectiveStuck]:
    for line in text.lines():
        found = ROW.match(line.text[:4000])
        missing, joined = (ranks_of(found["missing"]), ranks_of(found["joined"])) if found else ((), ())
        if found and missing and joined:
            yield CollectiveStuck(
                source=source(text, line),
                subject=Subject(rank=missing[0] if len(missing) == 1 else None),
                severity=Severity.CRITICAL,
                operation=found["operation"].removeprefix("nccl:"),
                sequence=int(found["sequence"]) if found["sequence"] else None,
                group=found["group"],
                missing_ranks=missing,
                joined_ranks=joined,
            )


def ranks_of(text: str) -> tuple[int, ...]:
    """The ranks of a list with ranges: 0-2,5 is 0, 1, 2 and 5. Empty for a list of more ranks than a job has."""
    ends = (part.partition("-") for part in text.replace(" ", "").split(","))
    ranges = [range(int(first), int(last or first) + 1) for first, _, last in ends]
    return tuple(sorted(set().union(*ranges))) if sum(map(len, ranges)) <= MOST else ()


PARSER = Parser(tool="who joined", medium="collectives", footprint=f"(?i){ROW.pattern}", read=read)
