r"""Tables of measured rates that people write down: a column of hosts, GPUs or ranks, and one of numbers.

    host  gpu  bf16 8192^3 TFLOPS
    t006  0    63

    nodes                    s/step
    t004,t005,t007,t008      0.97

    t004,t005   busbw 182.1 GB/s
    GPU 2: 341.2 TFLOPS

Columns are two blanks, a tab, a bar or (under a header that has them) commas apart; a header has to name what the first
columns are, and the unit in the last. Rows without a header name the quantity and its unit themselves. One row is no
table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..evidence import Subject
from ..evidence.network import Benchmark
from ..text import Text
from . import Parser
from ._snapshot import source

UNITS = {
    "tflops": "TFLOPS", "tflop/s": "TFLOPS", "gflops": "GFLOPS", "gb/s": "GB/s", "gbps": "Gbit/s", "gbit/s": "Gbit/s",
    "gb/sec": "GB/s", "mb/s": "MB/s", "s/step": "s", "s/it": "s",
    "sec/step": "s", "ms/step": "ms", "ms": "ms", "s": "s",
    "it/s": "it/s", "step/s": "it/s", "steps/s": "it/s", "tok/s": "tok/s", "tokens/s": "tok/s", "img/s": "img/s",
    "samples/s": "samples/s", "mhz": "MHz",
}  # fmt: skip
UNIT = "|".join(re.escape(unit) for unit in sorted(UNITS, key=len, reverse=True))
WHO = re.compile(r"^(hosts?|nodes?|hostname|pair|node pair|gpus?|ranks?|device|index)$", re.I)
LAST = re.compile(rf"^(?:(.{{0,60}}?)[ (\[_])?({UNIT})[)\]]?$", re.I)
SPLIT = re.compile(r" {0,40}\| {0,40}|\t[\t ]{0,40}| {2,80}")
RULE = re.compile(r"^:?-{2,40}:?[-:| +]{0,200}$")
COMMA = re.compile(r" ?, ?")
NUMBER = re.compile(r"^~?(\d{1,12}(?:\.\d{1,9})?)$")
HOST = r"[A-Za-z][A-Za-z_.-]{0,60}\d[\w.-]{0,60}"  # its first digit tells the parts apart: one way to match
HOSTS = re.compile(rf"^{HOST}(?:(?:,|, | \+ |\+|<->| <-> | -> |->|:| - |/){HOST}){{0,63}}$")
APART = re.compile(r"[,+:/]|<?->| - ")
# t004,t005   busbw 182.1 GB/s
BARE = re.compile(
    rf"^\s{{0,8}}(?P<who>{HOST}(?:(?:,|, | \+ |\+|<->| <-> | -> |->){HOST}){{0,63}})"
    rf"[ \t]{{1,40}}(?P<what>[A-Za-z]\w{{0,20}})?[ =:]{{0,4}}(?P<value>\d{{1,9}}(?:\.\d{{1,6}})?) ?"
    rf"(?P<unit>{UNIT})\s*$",
    re.I,
)
# GPU 2: 341.2 TFLOPS
OF_GPU = re.compile(
    r"^\s{0,8}(?:GPU|cuda|device)[ :#]?(?P<gpu>\d{1,3})[ \t:=]{1,20}(?P<what>[A-Za-z]\w{0,20}[ =:]{1,4})?"
    r"(?P<value>\d{1,9}(?:\.\d{1,6})?) ?(?P<unit>TFLOPS|TFLOP/s|GFLOPS|GB/s|it/s|steps?/s|tok/s|tokens/s|img/s"
    r"|samples/s)\s*$",
    re.I,
)
LIMIT = 2000


def read(text: Text) -> Iterator[Benchmark]:
    found: list[Benchmark] = []
    columns: list[str] = []
    apart = SPLIT
    for line in text.lines():
        row = line.text[:400].strip().strip("|").strip()
        if len(found) > LIMIT:
            break
        apart = next((each for each in (COMMA, SPLIT) if is_header(each.split(row))), apart)
        cells = apart.split(row)
        if bare := BARE.match(row):
            known = of_hosts(bare["who"])
            unit = UNITS[bare["unit"].lower()]
            name = (bare["what"] or "").strip()
            value = float(bare["value"])
            found.append(Benchmark(source=source(text, line), **known, name=name, value=value, unit=unit))
        elif card := OF_GPU.match(row):
            subject, name = Subject(gpu=int(card["gpu"])), (card["what"] or "").strip(" =:")
            value, unit = float(card["value"]), UNITS[card["unit"].lower()]
            found.append(
                Benchmark(source=source(text, line), subject=subject, hosts=(), name=name, value=value, unit=unit)
            )
        elif is_header(cells):
            columns = cells
        elif columns and len(cells) == len(columns) and (number := NUMBER.match(cells[-1])):
            if known := known_of(columns, cells):
                last = LAST.match(columns[-1])
                assert last
                unit = UNITS[last[2].lower()]
                name = (last[1] or "").strip()
                value = float(number[1])
                found.append(Benchmark(source=source(text, line), **known, name=name, value=value, unit=unit))
        elif row and not RULE.match(row):
            columns = []
    if len(found) > 1:
        yield from found


def is_header(cells: list[str]) -> bool:
    return len(cells) > 1 and bool(WHO.match(cells[0]) and LAST.match(cells[-1]))


def known_of(columns: list[str], cells: list[str]) -> dict[str, Any]:
    """Who was measured, from the columns that say so; empty where a cell is not what its column promises."""
    known: dict[str, Any] = {}
    hosts: tuple[str, ...] = ()
    for column, cell in zip(columns[:-1], cells[:-1], strict=True):
        name = column.lower().rstrip("s")
        if name in ("gpu", "device", "index", "rank"):
            digits = re.search(r"\d{1,6}$", cell)
            if not digits:
                return {}
            known["rank" if name == "rank" else "gpu"] = int(digits[0])
        elif WHO.match(column):
            if not HOSTS.match(cell):
                return {}
            hosts = tuple(APART.split(cell))
    if len(hosts) == 1:
        known["host"] = hosts[0]
    return {"subject": Subject(**known), "hosts": tuple(each.strip() for each in hosts)} if known or hosts else {}


def of_hosts(cell: str) -> dict[str, Any]:
    hosts = tuple(each.strip() for each in APART.split(cell) if each.strip())
    return {"subject": Subject(host=hosts[0]) if len(hosts) == 1 else Subject(), "hosts": hosts}


PARSER = Parser(
    tool="a table of rates",
    medium="benchmarks",
    footprint=(
        rf"(?i)^\s{{0,8}}(\| ?)?(hosts?|nodes?|hostname|pair|node pair|gpus?|ranks?|device|index)"
        rf"(\t| {{2}}|,| ?\|).{{0,120}}({UNIT})[)\]]?(\s{{0,8}}\|)?\s{{0,8}}$"
        rf"|^\s{{0,8}}[a-z][\w.-]{{0,60}}\d[\w.-]{{0,30}}(,|\+| \+ | ?<->| ?->|[ \t:]).{{0,300}}[ =:]\d{{1,9}}"
        rf"(\.\d{{1,6}})? ?({UNIT})\s{{0,8}}$"
        r"|^\s{0,8}(gpu|cuda|device)[ :#]?\d{1,3}[ \t:=].{0,60}\d ?"
        r"(TFLOPS|TFLOP/s|GFLOPS|GB/s|it/s|steps?/s|tok/s|tokens/s|img/s|samples/s)\s{0,8}$"
    ),
    read=read,
)
