"""Who joined a collective and who did not, as people sum up a flight recorder: one collective a line.

    mesh_shard      ALLTOALL_BASE #11         joined: 0-5,8-63   missing: 6,7
    ALLREDUCE seq=204   joined: 0,1,2   missing: 3

    pg=tp_inner (16 ranks)
      seq 88 nccl:all_gather     scheduled on 14 ranks, not present on ranks [3, 9]
      seq 41 nccl:broadcast      started on ranks [3, 9], missing on 14 ranks

Ranks are numbers and ranges of them. Where one side is a number of ranks only, it is all that the other does not name;
the group, if a heading names it, counts as many. A line in which nobody is missing is skipped, and so is a torn one of
more ranks than any job has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.collective import CollectiveStuck
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source

_RANKS = r"\d{1,6}(?:-\d{1,6})?(?: ?, ?\d{1,6}(?:-\d{1,6})?){0,400}"
_OPERATION = r"(?:nccl:)?(?:_?all_?(?:gather|reduce|to_?all)|reduce|broadcast|barrier|gather|scatter)\w{0,20}"
_NUMBER = r"(?:#|seq(?:uence|_?id)?[ =:#]{1,3}){1,2}"
ROW = re.compile(
    rf"^\s{{0,8}}(?:PG {{1,4}})?(?:(?P<group>[\w.:/-]{{1,80}}) {{1,40}})?"
    rf"(?P<operation>{_OPERATION})"
    rf"(?: {{1,10}}(?:#|seq(?:_?id)?[ =:]{{1,2}}){{0,2}}(?P<sequence>\d{{1,12}}))?[ |:]{{1,40}}joined[ :=]{{1,4}}"
    rf"(?P<joined>{_RANKS})[ ;|,]{{1,40}}missing[ :=]{{1,4}}(?P<missing>{_RANKS})\s{{0,8}}$",
    re.I,
)


def _side(name: str) -> str:
    """One side of a call: how many ranks it has, or which."""
    listed = rf"ranks? ?[\[{{(]?(?P<some_{name}>{_RANKS})[\]}})]?"
    return rf"(?:(?:on|by|from|in|for) )?(?:(?P<many_{name}>\d{{1,6}})(?: ?(?:of|/) ?\d{{1,6}})? ranks|{listed})"


# seq 88 nccl:all_gather scheduled on 14 ranks, not present on ranks [3, 9]
# broadcast #41: joined by 14 of 16 ranks, missing on ranks 3, 9
_SAYS = "scheduled|started|enqueued|issued|called|entered|joined|present"
SIDES = re.compile(
    rf"^\s{{0,8}}(?:{_NUMBER}(?P<first>\d{{1,12}})[ |:]{{1,40}})?(?P<operation>{_OPERATION})"
    rf"(?: {{1,10}}{_NUMBER}(?P<then>\d{{1,12}}))?[ |:]{{1,40}}"
    rf"(?:{_SAYS}|waiting|pending) {_side('joined')}[ ;|,]{{1,10}}(?:(?:and|but) )?"
    rf"(?:not (?:yet )?(?:{_SAYS}|seen)|never (?:{_SAYS}|seen)|missing|absent) {_side('missing')}\s{{0,8}}$",
    re.I,
)
# pg=tp_inner (16 ranks)      process group dp_outer, 16 ranks:
HEADING = re.compile(
    r"^\s{0,8}(?:pg|process[ _]group|group)[ =:]{1,3}(?P<group>[\w.:/-]{1,80}?)[ ,(]{1,3}(?P<size>\d{1,6}) ranks\)?"
    r":?\s{0,8}$",
    re.I,
)
MOST = 100_000  # ranks of a list, all its ranges together: no job has more


def read(text: Text) -> Iterator[CollectiveStuck]:
    group: str | None = None
    size: int | None = None
    for line in text.lines():
        row = line.text[:4000]
        if found := ROW.match(row):
            joined, missing = ranks_of(found["joined"]), ranks_of(found["missing"])
            yield from _stuck(text, line, found, found["group"], found["sequence"], joined, missing)
        elif heading := HEADING.match(row):
            group, size = heading["group"], int(heading["size"])
        elif found := SIDES.match(row):
            joined, missing = _sides(found, size)
            yield from _stuck(text, line, found, group, found["first"] or found["then"], joined, missing)


def _stuck(
    text: Text,
    line: Line,
    found: re.Match[str],
    group: str | None,
    sequence: str | None,
    joined: tuple[int, ...],
    missing: tuple[int, ...],
) -> Iterator[CollectiveStuck]:
    if missing and joined:
        yield CollectiveStuck(
            source=source(text, line),
            subject=Subject(rank=missing[0] if len(missing) == 1 else None),
            severity=Severity.CRITICAL,
            operation=found["operation"].removeprefix("nccl:"),
            sequence=int(sequence) if sequence else None,
            group=group,
            missing_ranks=missing,
            joined_ranks=joined,
        )


def _sides(found: re.Match[str], size: int | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The ranks that joined and those that are missing; a side that is only counted is what the other leaves."""
    joined, missing = (ranks_of(found[name]) if found[name] else () for name in ("some_joined", "some_missing"))
    named, many = joined or missing, int(found["many_joined"] or found["many_missing"] or 0)
    if (joined and missing) or not named:
        return joined, missing
    whole = len(named) + many
    rest = tuple(sorted(set(range(whole)) - set(named)))
    if whole > MOST or size not in (None, whole) or len(rest) != many:
        return (), ()  # the group has other ranks than the first ones of the job
    return (joined, rest) if joined else (rest, missing)


def ranks_of(text: str) -> tuple[int, ...]:
    """The ranks of a list with ranges: 0-2,5 is 0, 1, 2 and 5. Empty for a list of more ranks than a job has."""
    ends = (part.partition("-") for part in text.replace(" ", "").split(","))
    ranges = [range(int(first), int(last or first) + 1) for first, _, last in ends]
    return tuple(sorted(set().union(*ranges))) if sum(map(len, ranges)) <= MOST else ()


PARSER = Parser(tool="who joined", medium="collectives", footprint=footprint_of(ROW, SIDES), read=read)
