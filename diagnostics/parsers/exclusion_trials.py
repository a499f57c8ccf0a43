r"""Rates of one job with some hosts left out, and of one host beside its peers, as people write them down to find a
slow one.

    --exclude=n[01-03]       : 141 TFLOPs
    without n20                149 TFLOPs
    all 48 nodes               141 TFLOPs
    gpu bench n32            : 303.6 s  (others around 296.5 s)

A row is a condition, a rate with its unit, and anything after it. Rows that leave nobody out count only beside one that
does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from ..evidence import Subject
from ..evidence.network import Benchmark
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source
from .rate_tables import HOST, UNIT, UNITS

RATE = rf"~?(?P<value>\d{{1,9}}(?:\.\d{{1,6}})?) ?(?P<unit>{UNIT})\b"
LEFT_OUT = (
    r"(?:--exclude[= ]|\bexclud(?:ing|ed?)\b:? ?|\bwithout |\bw/o |\bminus |\ball (?:but|except) "
    r"|\bdrain(?:ing|ed) )(?:nodes? |hosts? )?"
)
ROW = re.compile(
    rf"^\s{{0,8}}(?P<condition>[^\s:][^:\n]{{0,80}}?{LEFT_OUT}|{LEFT_OUT})"
    rf"(?P<hosts>[A-Za-z][\w.,\[\]-]{{0,120}})[ \t]{{0,40}}(?::[ \t]|[ \t]{{2}}|\t|->|=)[ \t>]{{0,40}}{RATE}",
    re.I,
)
WHOLE = re.compile(
    rf"^\s{{0,8}}(?:all|every|full|baseline|with all)\b[^:\d]{{0,20}}(?:\d{{1,6}} )?[^:\d]{{0,60}}"
    rf"(?::[ \t]|[ \t]{{2}})[ \t]{{0,40}}{RATE}",
    re.I,
)
# gpu bench n32               : 303.6 s  (others around 296.5 s)
BESIDE = re.compile(
    rf"^\s{{0,8}}(?P<name>[A-Za-z][\w /-]{{0,60}}?)?\b"
    rf"(?P<host>{HOST})[ \t]{{0,40}}[: \t][ \t]{{0,40}}{RATE}[,;( \t]{{1,10}}(?:all |the )?"
    rf"(?:others?|rest|peers|median|elsewhere|fleet)\b[^\d\n]{{0,20}}(?P<others>\d{{1,9}}(?:\.\d{{1,6}})?)",
    re.I,
)
LIST = re.compile(r"([A-Za-z][\w.-]{0,60}?)(?:\[([\d,-]{1,100})\])?(?:,|$)")
NAMED = re.compile(r"\d")  # what is left out may be words: "without overflow"
LARGEST_RANGE = 512
LIMIT = 400


def read(text: Text) -> Iterator[Benchmark]:
    rows, whole = list[Benchmark](), list[Benchmark]()
    for line in islice(text.lines(), LIMIT):
        said = line.text[:300]
        if (found := ROW.match(said)) and all(NAMED.search(host) for host in hosts_of(found["hosts"])):
            rows.append(_rate(text, line, found, left_out=hosts_of(found["hosts"])))
        elif found := BESIDE.match(said):
            name = (found["name"] or "").strip()
            rows.append(_rate(text, line, found, name=name, host=found["host"], others=float(found["others"])))
        elif found := WHOLE.match(said):
            whole.append(_rate(text, line, found))
    yield from rows
    yield from whole if any(row.left_out for row in rows) else ()


def _rate(
    text: Text,
    line: Line,
    found: re.Match[str],
    *,
    name: str = "",
    host: str | None = None,
    others: float | None = None,
    left_out: tuple[str, ...] = (),
) -> Benchmark:
    return Benchmark(
        source=source(text, line),
        subject=Subject(host=host),
        name=name,
        value=float(found["value"]),
        unit=UNITS[found["unit"].lower()],
        left_out=left_out,
        others=others,
    )


def hosts_of(written: str) -> tuple[str, ...]:
    """The hosts of a list as Slurm writes it: n[01-03,07],login1."""
    hosts: list[str] = []
    for stem, ranges in LIST.findall(written):
        for each in ranges.split(",") if ranges else [""]:
            first, _, last = each.partition("-")
            numbers = range(int(first), min(int(last), int(first) + LARGEST_RANGE) + 1) if first and last else ()
            hosts += [f"{stem}{number:0{len(first)}d}" for number in numbers] or [stem + each]
    return tuple(hosts)


PARSER = Parser(
    tool="trials without some hosts",
    medium="benchmarks",
    footprint=footprint_of(ROW, BESIDE),
    read=read,
)
