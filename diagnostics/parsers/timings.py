"""A list of measured times and rates, as people write one down: a label, a colon, a number with its unit.

    compile of the attention kernel alone: 310 s
    slowest legitimate single test: ~130 s
    nvme read: 6.1 GB/s

Only an artefact in which every line is such a row, and which has at least two: one row is anybody's log line. What
`first_calls` says of a row is not said again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from ..evidence import NOBODY, Evidence, Source, Subject
from ..evidence.network import Benchmark
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from .first_calls import read as first_calls

ROW = re.compile(
    r"^\s{0,8}([A-Za-z][^:]{1,120}?)\s{0,40}: {1,20}[~<>]?(?:about )?(\d{1,12}(?:\.\d{1,6})?) ?"
    r"(s|ms|us|min|h|GB/s|MB/s|Gb/s|Gbit/s|GB/sec|MB/sec|img/s|tok/s|it/s|TFLOPS?)\s*$"
)
# node n04    n04.cluster    GPU 3    rank 12
NAMED = re.compile(
    r"(?i:GPU) ?(?P<gpu>\d{1,3})|(?i:rank) ?(?P<rank>\d{1,6})"
    r"|(?:(?i:node|host) )?(?P<host>[A-Za-z][\w.-]{0,60}\d[\w.-]{0,20})"
)
SCALE = {"GB/s": 1e9, "MB/s": 1e6, "GB/sec": 1e9, "MB/sec": 1e6}
LIMIT = 200


def read(text: Text) -> Iterator[Evidence]:
    lines = [line for line in islice(text.lines(), LIMIT + 1) if line.text.strip()]
    rows = [(line, row) for line in lines if (row := ROW.match(line.text[:300]))]
    if len(rows) < 2 or len(rows) < len(lines) or len(lines) > LIMIT:
        return
    told = {fact.source.line for fact in first_calls(text)}
    for line, row in rows:
        if line.number in told:
            continue
        scale, subject = SCALE.get(row[3]), subject_of(row[1].strip())
        yield Benchmark(
            source=Source(text.name, line.number, line.quote),
            subject=subject,
            name=row[1].strip() if subject == NOBODY else "",
            value=float(row[2]) * (scale or 1.0),
            unit="bytes/s" if scale else row[3],
        )


def subject_of(label: str) -> Subject:
    """The node, GPU or rank that a row's label is nothing but the name of."""
    found = NAMED.fullmatch(label)
    if not found:
        return NOBODY
    if found["gpu"]:
        return Subject(gpu=int(found["gpu"]))
    return Subject(rank=int(found["rank"])) if found["rank"] else Subject(host=found["host"])


PARSER = Parser(
    tool="a list of measurements",
    medium="benchmarks",
    footprint=footprint_of(ROW),
    read=read,
)
