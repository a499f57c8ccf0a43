"""`du -h`, `du -sh *`, `du -ah`: how much room folders and files take.

    $ du -sh ckpt/*
    27G	ckpt/step_2000
    27G	ckpt/step_3000
    9.1G	ckpt/step_4000

Every line is a row with a unit, or the command, and there are three rows at least: a list of sizes that says more is
something else. Sums ("total", ".") are skipped. Sizes are rounded up by du, and those of folders are sums.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.storage import FileEntry
from ..sizes import size_bytes
from ..text import Line, Text
from . import Parser
from ._snapshot import source

ROW = re.compile(
    r"^ {0,4}(?P<size>\d{1,5}(?:[.,]\d{1,2})?[KMGTP])(?:i?B)?[ \t]{1,12}(?P<path>[\w./~@+=-][\w./@+=~:,-]{0,400})$"
)
COMMAND = re.compile(r"^(?:[^\n]{0,60}[$#>] ?)?(?:sudo )?du (?:-|/|\.|\w)")
SUMS = ("total", ".", "..", "./")
FEWEST, LONGEST = 3, 5000


def read(text: Text) -> Iterator[FileEntry]:
    lines = [line for _, line in zip(range(LONGEST), text.lines(), strict=False) if line.text.strip()]
    rows: list[tuple[Line, re.Match[str]]] = []
    for line in lines:
        found = ROW.match(line.text[:500])
        if found:
            rows.append((line, found))
        elif not COMMAND.match(line.text[:300]):
            return
    if len(rows) < FEWEST:
        return
    for line, row in rows:
        if row["path"] not in SUMS:
            path = row["path"].removeprefix("./").rstrip("/")
            yield FileEntry(source=source(text, line), subject=Subject(path=path), size=size_bytes(row["size"]))


PARSER = Parser(
    tool="du -h",
    medium="listing",
    footprint=r"^ {0,4}\d{1,5}([.,]\d{1,2})?[KMGTP](i?B)?[ \t]{1,12}"
    r"(?=\S{0,200}(/|[a-z]\S{0,60}[-_.]\S))[\w./~@+=-][\w./@+=~:,-]{0,400}$",
    read=read,
)
