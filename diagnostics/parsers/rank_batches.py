"""How many batches each rank has, as a person or a trainer lists it.

    rank 0 : 6 validation batches
    rank 1 : 7 validation batches
    [rank3] 402 iterations per epoch
    [rank1] shard 1: 25 batches
    [rank 3] epoch 0 batch 1251/1251
    rank 0: len(dl)=412   rank 1: len(dl)=412   rank 2: len(dl)=409
    [1,3]<stdout>:Epoch 2: batch 655/656 loss 0.41
    [rank2] micro-batch 3/4 forward
    Rank = 2, Number of batches 8

    rank  batches in the epoch  state
    0     2144                  in step 2010

In a log each rank counts towards its own total, which has to be the same on all its lines. Micro-batches make up one
step, and their number may change with it: each rank's last word of them counts.

Of at least two ranks in one artefact, in one unit. Samples, shards and files are skipped: what a sampler makes of them
may be even.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source, Subject
from ..evidence.job import SettingSeen
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser

ROW = re.compile(
    r"^\s{0,8}\[?rank ?(\d{1,6})\]?\s{0,4}[:=]?\s{1,4}"
    r"(?:(?:shard|split|part(?:ition)?) \d{1,6}: {1,4})?(?:has |gets |with |len\(loader\) ?= ?)?(\d{1,9}) "
    r"((?:\w{1,12} )?(?:batch(?:es)?|iterations?|iters|steps))"
    r"(?: per epoch| in epoch \d{1,6}| each epoch)?\s*$",
    re.I,
)
# [rank 3] epoch 0 batch 1251/1251      rank 0 | epoch 2 | step 40/402 loss 2.1 by a launcher's word of the rank:
# [1,3]<stdout>:Epoch 2: batch 655/656      [default1]:2026-03-02 10:11:12 INFO step 8/80
OF_TOTAL = re.compile(
    r"(?:\brank[ =:]?(\d{1,6})\]?[ :|,-]{1,4}"
    r"|^\[(?:(?:\d{1,8},)?(\d{1,6})\]<stdout>|default(\d{1,6})\]):? {0,2}"
    r"(?:\d[\d-]{7,9}[ T][\d:.,]{8,15}Z?[ :|,-]{1,4})?(?:INFO[ :|,-]{1,4})?(?:train(?:ing)?[ :|,-]{1,4})?)"
    r"(?:\[?epoch[ :=]{0,2}\d{1,6}(?:/\d{1,6})?\]?[ :|,-]{1,4})?(batch|iter(?:ation)?|step)[ :=#\[]{1,3}\d{1,9} ?/ ?"
    r"(\d{1,9})\b",
    re.I,
)
# rank 0: len(dl)=412   rank 1: len(dl)=412      several on one line
LENGTH = re.compile(
    r"\brank ?(\d{1,6})\]?\s{0,4}[:=]?\s{0,4}len\(\w{0,30}(?:dl|loader)\w{0,10}\) ?[=:] ?(\d{1,9})\b", re.I
)
# [rank2] micro-batch 3/4 forward      rank 2 | step 180 | microbatch 3/4
MICRO = re.compile(
    r"\brank[ =:]?(\d{1,6})\]?[ :|,-]{1,4}(?:step[ :=#]{1,2}\d{1,9}[ :|,-]{1,4})?micro[-_ ]?(?:batch|step)"
    r"[ :=#\[]{1,3}\d{1,6} ?(?:/|of) ?(\d{1,6})\b",
    re.I,
)
# rank 0 packed batches 42      Rank = 2, Number of batches 8      [1,0]<stdout>:Total batches: 611
NAMED = re.compile(
    r"^\s{0,8}\[?(?:rank ?=? ?|\d{1,8},)(\d{1,6})\]?(?:<stdout>)?[ :,]{1,6}"
    r"(?:(?:number of|total|packed|num|train|training|val|validation) ){0,3}(?:batches|iterations)"
    r"(?: (?:this|per|in the|in this) epoch)?[ :=]{1,6}(\d{1,9})\s*$",
    re.I,
)
# rank  batches in the epoch  state      trainer  batches in epoch 0  state      ray worker   rows   batches (batch 32)
HEADING = re.compile(
    r"(?i)^[ \t|]{0,6}(?:\w{1,12} )?(?:ranks?|trainers?|workers?|replicas?|process)(?: {2,40}|[ ]{0,3}[|,\t][ ]{0,3})"
    r"(?:[^\s|,]{1,30}(?: [^\s|,]{1,30}){0,5}(?: {2,40}|[ ]{0,3}[|,\t][ ]{0,3})){0,6}"
    r"(?:(?:number of|total|packed|train|training|\w{1,12}) ){0,2}(?:batches|iterations)\b"
)
COLUMN = re.compile(
    r"(?i)^(?:(?:number of|total|packed|train|training) ){0,2}(?:batches|iterations)"
    r"(?: (?:in|per|this|of|served|seen|\().{0,40})?$"
)
CELLS = re.compile(r" {2,60}|[ ]{0,3}[|,\t][ ]{0,3}")
COUNT = re.compile(r"(\d{1,9})(?= |$)")
FEWEST = 2
LARGEST = 64 << 10  # bytes: a list of ranks, no training log


def read(text: Text) -> Iterator[SettingSeen]:
    yield from _counted(text)
    yield from _lengths(text)
    yield from _micro(text)
    if len(text.data) > LARGEST:
        return
    yield from _columns(text)
    named = [(line, found) for line in text.lines() if (found := NAMED.match(line.text[:200]))]
    for line, found in named if len({found[1] for _, found in named}) >= FEWEST else ():
        yield _told(text, line, found)
    rows = [(line, found) for line in text.lines() if (found := ROW.match(line.text[:200]))]
    if len({found[1] for _, found in rows}) >= FEWEST and len({found[3].lower() for _, found in rows}) == 1:
        yield from (_told(text, line, found) for line, found in rows)


def _lengths(text: Text) -> Iterator[SettingSeen]:
    found = [(line, each) for line in text.matching(LENGTH) for each in LENGTH.finditer(line.text[:2000])]
    for line, each in found if len({each[1] for _, each in found}) >= FEWEST else ():
        yield _told(text, line, each)


def _columns(text: Text) -> Iterator[SettingSeen]:
    """The column of batches of a table with a row a rank."""
    for heading in text.matching(HEADING):
        names = CELLS.split(heading.text[:400].strip().strip("|").strip())
        column = next((at for at, name in enumerate(names) if COLUMN.match(name)), None)
        told = []
        for line in text.after(heading, 10_000) if column else ():
            cells = CELLS.split(line.text[:400].strip().strip("|").strip(), maxsplit=len(names) - 1)
            count = COUNT.match(cells[column or 0]) if len(cells) == len(names) else None
            if count and cells[0].isdecimal():
                told.append((line, cells[0], count[1]))
            elif not set(line.text) <= set("-+=|: \t"):
                break
        for line, rank, count_of in told if len(told) >= FEWEST else ():
            yield SettingSeen(
                source=Source(text.name, line.number, line.quote),
                subject=Subject(rank=int(rank)),
                name="batches",
                value=count_of,
            )


def _micro(text: Text) -> Iterator[SettingSeen]:
    last = {found[1]: (line, found) for line in text.matching(MICRO) if (found := MICRO.search(line.text[:400]))}
    for line, found in last.values():
        yield _told(text, line, found, "micro-batches")


def _counted(text: Text) -> Iterator[SettingSeen]:
    totals: dict[int, dict[str, tuple[Line, str]]] = {}
    for line in text.matching(OF_TOTAL):
        if found := OF_TOTAL.search(line.text[:400]):
            rank = int(found[1] or found[2] or found[3])
            totals.setdefault(rank, {}).setdefault(found[5], (line, found[4].lower()))
    whole = all(len(each) == 1 for each in totals.values())
    units = {unit for each in totals.values() for _, unit in each.values()}
    for rank, each in totals.items() if whole and len(totals) >= FEWEST and len(units) == 1 else ():
        ((total, (line, _)),) = each.items()
        yield SettingSeen(
            source=Source(text.name, line.number, line.quote), subject=Subject(rank=rank), name="batches", value=total
        )


def _told(text: Text, line: Line, found: re.Match[str], name: str = "batches") -> SettingSeen:
    return SettingSeen(
        source=Source(text.name, line.number, line.quote),
        subject=Subject(rank=int(found[1])),
        name=name,
        value=found[2],
    )


PARSER = Parser(
    tool="a list of ranks' batches",
    medium="settings",
    footprint=footprint_of(ROW, OF_TOTAL, LENGTH, MICRO, NAMED, HEADING),
    read=read,
)
