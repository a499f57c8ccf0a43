"""Tables of the sizes that files should have beside those that they have.

    file                     expected      actual
    shard_0002.tar           1073741824    1073741824
    shard_0003.tar           1073741824    411041792

The header names both; rows whose cells are no sizes are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.storage import SizeCompared
from ..footprint import footprint_of
from ..sizes import size_bytes
from ..text import Line, Text
from . import Parser
from ._snapshot import source

FILE = re.compile(r"(?:file|name|path|shard|object|part|archive|blob|run)s?(?:[ _]?name)?", re.I)
OF = r"(?:[ _](?:size|bytes|says))?"
SHOULD = re.compile(
    r"(?:expected|should be|manifest|source|original|remote|index|want|written|saved|listed|server|hub|raw|header)"
    rf"{OF}",
    re.I,
)
IS = re.compile(
    rf"(?:actual|actually|got|found|local|copy|on disk|have|here|target|destination|now|downloaded|fetched){OF}", re.I
)
SPLIT = re.compile(r"[ \t]{2,60}|\t|\s?\|\s?|,(?!\d{3}\b)")
HEADER = re.compile(
    rf"^\s{{0,8}}\|?\s{{0,8}}{FILE.pattern}(?:[ \t]{{2,60}}|\t|,|\s?\|\s?)"
    rf".{{0,80}}?(?:{SHOULD.pattern}|{IS.pattern})(?:[ \t]{{2,60}}|\t|,|\s?\|\s?)",
    re.I,
)
THOUSANDS = re.compile(r"(?<=\d)[ ,](?=\d{3}(?:\D|$))")
# train.parquet  1879048192   (remote 3096018211)       (what somebody wrote behind a listing)
NOTED = re.compile(
    r"^(?:[-d][rwxsStT-]{9}\S? .{1,60}? )??(?P<before>\S{1,300}) {1,8}(?:size )?"
    r"(?P<have>\d[\d ,.]{0,20}(?: ?[KMGT]i?B?)?)"
    rf" {{1,12}}\((?:{SHOULD.pattern}|release|promised):? (?P<should>\d[\d ,.]{{0,20}}(?: ?[KMGT]i?B?)?)\)\s*$",
    re.I,
)
ROUNDED = 0.9  # a GiB is 7 % more than a GB, and people write either


def read(text: Text) -> Iterator[SizeCompared]:
    columns: tuple[int, int] | None = None
    for line in text.lines():
        row = line.text[:1000].strip().strip("|").strip()
        cells = SPLIT.split(row)
        if HEADER.match(line.text[:1000]):
            columns = _columns(cells)
        elif columns and len(cells) > max(columns):
            compared = _compared(cells[columns[0]], cells[columns[1]])
            if compared:
                yield _fact(text, line, cells[0], *compared)
        elif (noted := NOTED.match(row)) and (compared := _compared(noted["should"], noted["have"])):
            yield _fact(text, line, noted["before"], *compared)
        elif row:
            columns = None


def _columns(cells: list[str]) -> tuple[int, int] | None:
    """Which columns say what a size should be and what it is; None unless there is one of each."""
    should = [at for at, cell in enumerate(cells) if at and SHOULD.fullmatch(cell)]
    is_ = [at for at, cell in enumerate(cells) if at and IS.fullmatch(cell)]
    return (should[0], is_[0]) if len(should) == len(is_) == 1 and FILE.fullmatch(cells[0]) else None


def _compared(should: str, have: str) -> tuple[int, int] | None:
    """Both sizes in bytes; None where one is no size, or where rounded ones are nearly the same."""
    expected, actual = (size_bytes(THOUSANDS.sub("", cell.strip())) for cell in (should, have))
    if expected is None or actual is None:
        return None
    exact = should.strip()[-1:].isdigit() and have.strip()[-1:].isdigit()
    apart = not ROUNDED * expected <= actual <= expected / ROUNDED
    return (expected, actual) if exact or apart or actual == expected else None


def _fact(text: Text, line: Line, path: str, expected: int, actual: int) -> SizeCompared:
    return SizeCompared(
        source=source(text, line),
        subject=Subject(path=path),
        severity=Severity.WARNING if actual < expected else Severity.INFO,
        expected=expected,
        actual=actual,
    )


PARSER = Parser(
    tool="a table of sizes",
    medium="listing",
    footprint=footprint_of(HEADER, NOTED),
    read=read,
)
