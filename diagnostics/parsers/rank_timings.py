"""Times of one section on every rank, as trainers' straggler reports list them.

    forward_backward:
      Rank 0: 413.98ms
      Rank 1: 412.17ms
      Rank 4: 987.12ms

    ^^^^ Bottom 4 Ranks with lowest  Etpt(TF): 166.62/12, 371.22/7, 372.1/1, 373.0/9

Megatron-LM lists the ranks of the lowest rate on one line. Blocks of at least three ranks with one unit; the line
above, where it ends in a colon, names the section. Lines that sum up (Min, Max, Avg) may stand between.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.network import Benchmark
from ..text import Line, Text
from . import Parser
from ._job_lines import message
from ._snapshot import source

# Rank 0: 413.98ms       rank 3 compute 210.9 ms       [2] fwd: 0.41 s
ROW = re.compile(
    r"^\s{0,12}(?i:rank) ?(\d{1,6})(?::| -| \|)? {1,20}(?:([A-Za-z][\w ]{0,30}?)[:=]? {1,4})?"
    r"(\d{1,9}(?:\.\d{1,6})?) ?(ms|s|us)\s*$"
)
BOTTOM = re.compile(
    r"Bottom \d{1,4} Ranks with lowest {1,3}(\w{1,20})\((\w{1,8})\): ((?:\d{1,9}(?:\.\d{1,6})?/\d{1,6}(?:, )?){3,40})"
)
SECTION = re.compile(r"^\s{0,8}([A-Za-z][\w -]{1,40}):\s*$")
SUMMARY = re.compile(r"^\s{0,12}(?:Min|Max|Avg|Mean|Median|Slowdown)\b")
FEWEST = 3


def read(text: Text) -> Iterator[Benchmark]:
    section, block = "", list[tuple[Line, re.Match[str]]]()
    for line in text.lines():
        said = message(line).text[:300]
        yield from _bottom(text, line)
        if found := ROW.match(said):
            block.append((line, found))
        elif not SUMMARY.match(said):
            yield from facts(text, section, block)
            named = SECTION.match(said)
            section, block = named[1].strip() if named else "", []
    yield from facts(text, section, block)


def _bottom(text: Text, line: Line) -> Iterator[Benchmark]:
    """Rates of the slowest ranks, as value/rank."""
    found = BOTTOM.search(line.text[:2000])
    for pair in found[3].split(", ") if found else ():
        value, _, rank = pair.partition("/")
        if found and value and rank.isdigit():
            yield Benchmark(
                source=source(text, line),
                subject=Subject(rank=int(rank)),
                name=found[1],
                value=float(value),
                unit=found[2],
            )


def facts(text: Text, section: str, block: list[tuple[Line, re.Match[str]]]) -> Iterator[Benchmark]:
    if len({found[1] for _, found in block}) < FEWEST or len({found[4] for _, found in block}) > 1:
        return
    for line, found in block:
        yield Benchmark(
            source=source(text, line),
            subject=Subject(rank=int(found[1])),
            name=found[2] or section,
            value=float(found[3]),
            unit=found[4],
        )


PARSER = Parser(
    tool="a straggler report",
    medium="benchmarks",
    footprint=r"(?i)\bBottom \d{1,4} Ranks with lowest |\brank ?\d{1,6}(:| -| \|)? {1,20}"
    r"([a-z][\w ]{0,30}[:=]? {1,4})?\d{1,9}(\.\d{1,6})? ?(ms|s|us)\s{0,4}$",
    read=read,
)
