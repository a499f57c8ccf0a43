"""Digests of one set of files in two or more places, one row a file, as people put them side by side.

    md5
    shard50  site A 0f8d13a2b7c4  site B 0f8d13a2b7c4
    shard51  site A 6b1e90d4aa07  site B d2c7415e0f93

    | file    | sha256 src | sha256 dst |
    | part-07 | 91c3370be5d8 | 91c3370be5d8 |

The artefact or its name says a kind of digest. A table in which no row agrees compares two different sets, and is
skipped. A digest may be whole or cut; those of a row are equally long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source, Subject
from ..evidence.storage import Checksum
from ..text import Line, Text
from . import Parser

KIND = re.compile(
    r"(?i)(?<![a-z])(?P<kind>md5|sha-?\d{1,3}|xxh\d{0,3}|crc32c?|b2|b3|blake[23]\w?|checksum|digest)(?:sums?|s)?"
    "(?![a-z])"
)
DIGEST = r"(?=[a-f]{0,31}[0-9])(?=[0-9]{0,31}[a-f])[0-9a-f]{6,128}(?:\.{2,3}[0-9a-f]{0,8})?"
# shard50  site A 0f8d13a2b7c4  site B 0f8d13a2b7c4      | part-07 | 91c3370be5d8 | 91c3370be5d8 |
_LABEL = r"(?:[A-Za-z][\w.-]{0,30}(?: [\w.-]{1,20}){0,2}[ \t]{0,4}[:=]?[ \t]{0,4})?"
_APART = r"[ \t]{0,40}(?:[ \t]|\||,)[ \t]{0,40}"
ROW = re.compile(
    rf"^[ \t|]{{0,12}}(?P<name>[\w/][\w./@+-]{{0,300}})"
    rf"(?P<cells>(?:{_APART}{_LABEL}{DIGEST}(?=[ \t|,]|$)){{2,6}})[ \t|]{{0,12}}(?:\S{{1,20}})?$"
)
CELL = re.compile(rf"(?:^|[ \t|,:=])({DIGEST})(?=[ \t|,]|$)")
LARGEST = 64 << 10  # bytes: nobody puts more side by side by hand
FEWEST = 2  # rows


def read(text: Text) -> Iterator[Checksum]:
    if len(text.data) > LARGEST:
        return
    lines = [line for line in text.lines() if len(line.text) < 1000]
    said = KIND.search(text.name) or next((found for line in lines if (found := KIND.search(line.text))), None)
    rows = [row for line in lines if (row := _row(line))] if said else []
    if said is None or len(rows) < FEWEST or all(len(set(digests)) > 1 for _, _, digests in rows):
        return
    for line, name, digests in rows:
        for digest in digests:
            yield Checksum(
                source=Source(text.name, line.number, line.quote),
                subject=Subject(path=name),
                algorithm=f"{said['kind'].lower()}, side by side",
                digest=digest,
            )


def _row(line: Line) -> tuple[Line, str, list[str]] | None:
    """The line with its file and its digests; None where it is no row."""
    found = ROW.match(line.text.rstrip())
    if not found or re.fullmatch(DIGEST, found["name"]):
        return None
    digests = CELL.findall(found["cells"])
    return (line, found["name"], digests) if len(digests) > 1 and len({len(each) for each in digests}) == 1 else None


PARSER = Parser(
    tool="digests side by side",
    medium="checksums",
    footprint=rf"^[ \t|]{{0,12}}[\w/][\w./@+-]{{0,300}}{_APART}{_LABEL}{DIGEST}{_APART}{_LABEL}{DIGEST}([ \t|,]|$)",
    read=read,
)
