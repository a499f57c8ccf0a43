"""What each rank puts into a collective, as people print it: a rank, a name, a number of elements or a shape.

    rank 0   all_reduce numel 209715200
    rank 1-3 all_reduce numel 104857600
    rank1 non_pad_entropies torch.Size([2044])
    [rank3] batch 31 out torch.Size([8, 64])
    rank 0 feats_b (64, 2048)

    rank  all_reduce numel (call 118)
    0     1048576
    3     786432

Of at least two ranks in one artefact, under one name; numbers in the name (a batch, a call) belong to it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Source, Subject
from ..evidence.job import SettingSeen
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser

SIZE = (
    r"(?:torch\.Size\(\[(?P<shape>[\d, ]{1,80})\]\)|[(\[](?P<tuple>\d{1,12}(?:, ?\d{0,12}){1,7})[)\]]"
    r"|(?:numel|elements)[ =:]{1,3}(?P<numel>\d{1,15}))"
)
ROW = re.compile(
    rf"^\s{{0,8}}\[?rank ?(?P<rank>\d{{1,6}})(?:-(?P<last>\d{{1,6}}))?\]?[ :=]{{1,4}}"
    rf"(?P<name>[A-Za-z_][\w .:/-]{{0,60}}?)?[ :=]{{0,4}}{SIZE}\s{{0,8}}$",
    re.I,
)
HEADING = re.compile(r"^\s{0,8}rank[ \t]{2,20}(?P<name>[\w ]{0,40}\bnumel\b[^\n]{0,40})$", re.I)
CELLS = re.compile(r"^\s{0,8}(?P<rank>\d{1,6})[ \t]{2,40}(?P<numel>\d{1,15})\s{0,8}$")
LARGEST = 64 << 10  # bytes
FEWEST = 2


def read(text: Text) -> Iterator[SettingSeen]:
    if len(text.data) > LARGEST:
        return
    seen: dict[str, dict[int, tuple[Line, str]]] = defaultdict(dict)
    column = ""
    for line in text.lines():
        row = line.text[:300]
        if heading := HEADING.match(row):
            column = " ".join(heading["name"].split())
        elif found := ROW.match(row):
            size = found["shape"] or found["tuple"] or found["numel"]
            name = " ".join((found["name"] or "").split()) + (" numel" if found["numel"] else "")
            for rank in dict.fromkeys((int(found["rank"]), int(found["last"] or found["rank"]))):
                seen[name.strip()].setdefault(rank, (line, size.replace(" ", "")))
        elif column and (found := CELLS.match(row)):
            seen[column].setdefault(int(found["rank"]), (line, found["numel"]))
    for name, by_rank in seen.items():
        for rank, (line, size) in by_rank.items() if len(by_rank) >= FEWEST else ():
            source = Source(text.name, line.number, line.quote)
            yield SettingSeen(source=source, subject=Subject(rank=rank), name=f"size of {name}", value=size)


PARSER = Parser(
    tool="a list of ranks' sizes",
    medium="settings",
    footprint=footprint_of(ROW, HEADING),
    read=read,
)
