r"""How long each rank was at each part of a step, as people and profilers put it into a table.

    step 800, ms    forward   backward   h2d   allreduce_wait   total
    rank 0              201        410    12              188     811
    rank 1              203        409    97              101     810

    | rank | data (s) | compute (s) | comm (s) |
    | 0    | 0.02     | 1.41        | 0.66     |

A part that is spent on the other ranks (a wait, a collective, idle) has to be told from the rank's own ones, of which
the sum is the fact. A total is no part, and a wait for data is no work of the rank's device. Of at least three ranks,
each with as many cells as the heading, in one unit, which the heading names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..evidence import Subject
from ..evidence.network import Benchmark
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source
from ._trial_words import short_lines

_OF_OTHERS = r"wait|idle|all_?reduce|all_?gather|reduce_?scatter|comm(?:s|unication)?|nccl|sync|barrier|collective"
# step 800, ms    forward   backward   h2d   allreduce_wait   total      | rank | compute (ms) | comm (ms) |
HEADING = re.compile(
    r"^[ \t|]{0,8}(?=[^\n]{0,200}?(?<![A-Za-z])(?:ms|s|sec|us)(?![A-Za-z]))(?:rank|step|iter)[^\n]{0,160}?"
    rf"(?:[ \t|]|_)(?:{_OF_OTHERS})",
    re.I,
)
UNIT = re.compile(r"(?<![A-Za-z])(ms|us|s|sec)(?![A-Za-z])", re.I)
WAITED = re.compile(rf"(?:^|[^a-z])(?:{_OF_OTHERS})", re.I)
FOR_DATA = re.compile(r"(?:^|[^a-z0-9])(?:data|load|input|fetch|read|i/?o)(?:er|ing|time)?(?![a-z])", re.I)
TOTAL = re.compile(r"^(?:total|step|sum|wall|all)(?![a-z])", re.I)
RANK = re.compile(r"^(?:rank[ =:#]{0,2})?(\d{1,6})$", re.I)
NUMBER = re.compile(r"^(\d{1,7}(?:\.\d{1,6})?) ?(?:ms|us|s)?$")
SPLIT = re.compile(r"[ \t]{0,40}\|[ \t]{0,40}|\t[\t ]{0,40}| {2,80}")
RULE = re.compile(r"^[-:=+| ]{3,240}$")
FEWEST = 3


def read(text: Text) -> Iterator[Benchmark]:
    names: list[str] = []
    rows: list[tuple[Line, list[str]]] = []
    for line in short_lines(text):
        cells = SPLIT.split(line.text.strip().strip("|").strip())
        if HEADING.match(line.text):
            yield from _facts(text, names, rows)
            names, rows = cells, []
        elif names and len(cells) == len(names) and RANK.match(cells[0]):
            rows.append((line, cells))
        elif not RULE.match(line.text):
            yield from _facts(text, names, rows)
            names, rows = [], []
    yield from _facts(text, names, rows)


def _facts(text: Text, names: Sequence[str], rows: Sequence[tuple[Line, list[str]]]) -> Iterator[Benchmark]:
    units = {unit.lower() for name in names for unit in UNIT.findall(name)}
    waited = [column for column, name in enumerate(names) if column and WAITED.search(name)]
    aside = (WAITED, FOR_DATA, TOTAL)
    own = [column for column, name in enumerate(names) if column and not any(each.search(name) for each in aside)]
    ranks = {cells[0] for _, cells in rows}
    if len(units) != 1 or not own or not waited or len(ranks) < FEWEST or len(ranks) != len(rows):
        return
    for line, cells in rows:
        rank, parts = RANK.match(cells[0]), [NUMBER.match(cells[column]) for column in own]
        if rank and all(parts):
            yield Benchmark(
                source=source(text, line),
                subject=Subject(rank=int(rank[1])),
                name="a rank's own part of a step",
                value=round(sum(float(part[1]) for part in parts if part), 6),
                unit="s" if (unit := units.copy().pop()) == "sec" else unit,
            )


PARSER = Parser(tool="parts of a step by rank", medium="benchmarks", footprint=footprint_of(HEADING), read=read)
