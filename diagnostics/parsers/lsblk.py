"""`lsblk`, with the columns that tell of the kind of a disk: ROTA, VENDOR, MODEL, TRAN.

    NAME   SIZE ROTA TYPE VENDOR   MODEL            TRAN  MOUNTPOINT
    sda    3.6T    1 disk ATA      ST4000NM0035     sata
    └─sda1 3.6T    1 part                                 /data
    sdb    200G    1 disk IET      VIRTUAL-DISK     iscsi

Cells are found by where they stand below the heading's words: a cell may be empty. A table without one of these
columns is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.storage import BlockDeviceSeen
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._snapshot import source

HEADING = re.compile(r"^NAME +(?:[A-Z:%-]{2,12} +){0,14}(?:ROTA|VENDOR|MODEL|TRAN)\b[ A-Z:%-]{0,160}$")
WORD = re.compile(r"\S+")
SIZE = re.compile(r"\d{1,12}(?:[.,]\d{1,3})?[BKMGTP]?")
NAME = re.compile(r"^[\s│├└─|`-]{0,16}([a-z][\w.-]{1,60})\s")


def read(text: Text) -> Iterator[BlockDeviceSeen]:
    columns: list[tuple[str, int, int]] = []
    for line in text.lines():
        row = line.text[:400].rstrip()
        if HEADING.match(row):
            columns = [(found[0], found.start(), found.end()) for found in WORD.finditer(row)]
        elif columns and (found := NAME.match(row)):
            cells = _cells(row, columns)
            if "SIZE" in (name for name, _, _ in columns) and not SIZE.fullmatch(cells.get("SIZE", "")):
                columns = []
                continue
            mount = cells.get("MOUNTPOINT") or cells.get("MOUNTPOINTS") or None
            yield BlockDeviceSeen(
                source=source(text, line),
                subject=Subject(device=found[1], mount=mount if mount and mount.startswith("/") else None),
                rotational={"1": True, "0": False}.get(cells.get("ROTA", "")),
                vendor=cells.get("VENDOR") or None,
                model=cells.get("MODEL") or None,
                transport=cells.get("TRAN") or None,
            )
        else:
            columns = []


def _cells(row: str, columns: list[tuple[str, int, int]]) -> dict[str, str]:
    """The words of a row by the heading's word that they stand below; words that follow one another may be one cell."""
    cells: dict[str, str] = {}
    for word in WORD.finditer(row):
        under = [name for name, begin, end in columns if word.start() < end and begin < word.end()]
        name = (
            under[0]
            if under
            else max((c for c in columns if c[1] <= word.start()), key=lambda c: c[1], default=("", 0, 0))[0]
        )
        cells[name] = f"{cells[name]} {word[0]}" if name in cells else word[0]
    return cells


PARSER = Parser(
    tool="lsblk",
    medium="block-devices",
    footprint=footprint_of(HEADING),
    read=read,
)
