"""Stretches of zeros in a file, as a dump or a script of somebody's own shows them.

    $ hexdump -C -s 419430400 -n 65536 /data/shard_00042.bin
    19000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|
    *
    19010000

    shard_00042.bin  zero region 419430400..419434496 (4096 bytes)
    /data/a.bin: bytes 4096-8191 are all zeros

A run in a dump is a row of zeros, the `*` that stands for more of them, and the offset where they end; shorter runs are
padding that any file has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.storage import ZeroRun
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source

# 19000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|
DUMPED = re.compile(r"^([0-9a-f]{7,16})(?:: ?| {1,2})(?:0000 ?|00 {1,2}){8,16} {0,3}(?:\|?\.{16}\|?)?\s*$")
OFFSET = re.compile(r"^([0-9a-f]{7,16}):?(?:\s|$)")
# $ hexdump -C -s 419430400 -n 65536 /data/shard_00042.bin
COMMAND = re.compile(r"^[$#%>] ?(?:sudo )?(?:hexdump|hd|xxd|od)\b.{0,300}? (/?[\w./-]{2,500})\s*(?:\||$)")
# shard_00042.bin  zero region 419430400..419434496     a.bin: bytes 4096-8191 are all zeros
SAID = re.compile(
    r"^(?P<path>/?[\w./-]{2,500}?):? {1,8}(?:(?:zero|zeroed|zero-filled|all-zero|null)[ -]"
    "(?:region|range|block|run|bytes?)s?"
    r"(?: at| from)? (?P<from>\d{1,18})(?:\.\.|-| to )(?P<to>\d{1,18})"
    r"|bytes? (?P<from2>\d{1,18})(?:\.\.|-| to )(?P<to2>\d{1,18}) (?:are|is|read as) (?:all )?zero)"
)
PADDING = 512


def read(text: Text) -> Iterator[ZeroRun]:
    path: str | None = None
    begun: tuple[Line, int] | None = None
    for line in text.lines():
        row = line.text[:600]
        if found := COMMAND.match(row):
            path, begun = found[1], None
        elif found := SAID.match(row):
            first, last = int(found["from"] or found["from2"]), int(found["to"] or found["to2"])
            yield _run(text, line, found["path"], first, last - first)
        elif begun and (end := OFFSET.match(row)):
            if int(end[1], 16) - begun[1] >= PADDING:
                yield _run(text, begun[0], path, begun[1], int(end[1], 16) - begun[1])
            begun = None
        elif found := DUMPED.match(row):
            begun = (line, int(found[1], 16))


def _run(text: Text, line: Line, path: str | None, offset: int, length: int) -> ZeroRun:
    return ZeroRun(
        source=source(text, line),
        subject=Subject(path=path),
        severity=Severity.WARNING,
        offset=offset,
        length=length,
    )


PARSER = Parser(
    tool="hexdump",
    medium="checksums",
    footprint=footprint_of(DUMPED, SAID),
    read=read,
)
