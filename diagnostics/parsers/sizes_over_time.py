"""Sizes over time that somebody wrote down without saying of what: a name, a time, a size.

    server 2.3.5  +13h00    0.9G
    server 2.3.5  +13h20    6.4G
    worker   10:40:00   14.1 GiB  (ended)

    22:15:00  /mnt/out/step_400   18G
    22:18:00  /mnt/out/step_400  104G

    epoch 1    6.1G
    epoch 2    7.4G

    date    exporter    agent
    04-22   155Mi       3Mi
    04-24   611Mi       3Mi

    worker  epoch1  epoch3  epoch5
    0       2.1G    6.8G    11.3G

                 step 500   step 900   step 1400
    _collate     1.2 GB     2.9 GB     5.1 GB

Below a heading each column is a thing that was measured, where its first names what counts the time; or each row is
one, where all others do. A table of fewer than four such rows, or one that is the smaller part of its file, is none.
Tables with a heading that names memory are read by `memory_series`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.storage import SizeSeen
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser

ROW = re.compile(
    r"^[ \t]{0,8}(?P<name>[A-Za-z][\w.:@/ -]{0,40}?)?[ \t]{0,20}"
    r"(?<!\S)\+?(?P<time>\d{1,4} ?h ?(?:\d\d)?m?|\d{1,4}:\d\d(?::\d\d)?|\d{1,6} ?(?:s|min|hours?|days?))"
    r"[ \t]{2,40}(?P<number>\d{1,9}(?:\.\d{1,4})?) ?(?P<unit>[KMGT])(?:i?B)?(?:[ \t]{1,20}\([^)\n]{0,60}\))?[ \t]*$"
)
# 22:15:00  /mnt/out/step_400   18G      2026-02-11 22:15:00 18G /mnt/out/step_400
OF_A_PATH = re.compile(
    r"^[ \t]{0,8}\[?(?:\d{4}-\d\d-\d\d[ T])?(?P<time>\d\d:\d\d(?::\d\d)?)\]?[ \t]{1,20}"
    r"(?:(?P<name>/[\w./+=@~-]{1,300})[ \t]{1,40}(?P<number>\d{1,9}(?:\.\d{1,4})?) ?(?P<unit>[KMGT])(?:i?B)?"
    r"|(?P<number2>\d{1,9}(?:\.\d{1,4})?) ?(?P<unit2>[KMGT])(?:i?B)?[ \t]{1,40}(?P<name2>/[\w./+=@~-]{1,300}))[ \t]*$"
)
# epoch 2   7.4G      after save 3: 21.5 GiB      step 4000  12 GB
COUNTED = re.compile(
    r"^[ \t]{0,8}(?P<name>)(?:after |at )?(?P<time>"
    r"(?:epoch|step|iter(?:ation)?|batch|save|checkpoint|round|episode|request|day|hour|game)s?[ #:=]{1,2}\d{1,9}k?)"
    r"(?:[ \t]{2,40}|:[ \t]{1,40}|\t)(?P<number>\d{1,9}(?:\.\d{1,4})?) ?(?P<unit>[KMGT])(?:i?B)?[ \t]*$",
    re.I,
)
# where rows of a table or of a list stand
BESIDE_A_TIME = re.compile(
    r"(?i:^\s{0,12}[\d:/.-]{1,20}[kh]?[ \t]{2,40}(?:[^\s][^\n]{0,60}[ \t]{2,40})?\d{1,9}(?:\.\d{1,4})? ?[KMGT]"
    r"(?:i?B)?(?:[ \t]|$))|(?<!\S)\+?\d{1,4}(?: ?h ?(?:\d\d)?m?|:\d\d(?::\d\d)?"
    r"| ?(?:s|min|hours?|days?))[ \t]{2,40}\d{1,9}(?:\.\d{1,4})? ?[KMGT](?:i?B)?(?:[ \t]{1,20}\([^)\n]{0,60}\))?[ \t]*$"
)
BYTES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
FEWEST = 4
FEWEST_MOMENTS = 3
CELLS = re.compile(r"[ \t]{2,}")
AXIS = re.compile(
    "(?:epoch|episode|generation|round|game|request|step|iter(?:ation)?|batch|date|day|time|hour|run|save|file)s?"
    r"(?: (?:start|end|no\.?))?$",
    re.I,
)
MOMENT = re.compile(r"(?:epoch|step|iter(?:ation)?|batch|day|hour|save) ?\d{1,9}$", re.I)
#             step 500     step 900     step 1400
MOMENTS = re.compile(rf"^[ \t]{{0,80}}{MOMENT.pattern[:-1]}(?:[ \t]{{2,40}}{MOMENT.pattern[:-1]}){{2,20}}[ \t]*$", re.I)
AT = re.compile(r"[\d:/.-]{1,20}[kKhm]?$")
AMOUNT = re.compile(r"(\d{1,9}(?:\.\d{1,4})?) ?([KMGT])(?:i?B)?$", re.I)


def read(text: Text) -> Iterator[SizeSeen]:
    written = [line for line in text.lines() if line.text.strip()]
    yield from _headed(text, written)
    rows = [(line, found) for line in written if len(line.text) < 200 and (found := _row(line.text))]
    if len(rows) < FEWEST or 2 * len(rows) < len(written):
        return
    for line, found in rows:
        yield SizeSeen(
            source=Source(text.name, line.number, line.quote),
            name=(found["name"] or found.groupdict().get("name2") or "").strip(),
            at=found["time"],
            size=_size(found),
        )


def _row(said: str) -> re.Match[str] | None:
    return ROW.match(said) or OF_A_PATH.match(said) or COUNTED.match(said)


def _size(found: re.Match[str]) -> int:
    number, unit = found["number"] or found["number2"], found["unit"] or found["unit2"]
    return round(float(number) * BYTES[unit.upper()])


def _headed(text: Text, written: list[Line]) -> Iterator[SizeSeen]:
    """A table with a heading; its rows may lack what stands above them once, at the left."""
    if len(written) < 2 or len(written) > MOST_ROWS:
        return
    heading, *body = [CELLS.split(line.text.strip()[:300]) for line in written]
    if len(heading) >= FEWEST_MOMENTS and all(map(MOMENT.match, heading)):
        heading = ["", *heading]  # nothing stands above what the rows are called
    across = len(heading) > FEWEST_MOMENTS and all(map(MOMENT.match, heading[1:]))
    if not across and len(written) <= FEWEST_MOMENTS:
        return
    seen: dict[str, list[SizeSeen]] = defaultdict(list)
    for line, cells in zip(written[1:], body, strict=True):
        names = heading[-len(cells) :]
        if len(cells) < 2 or len(cells) > len(heading):
            continue
        if not across and not (AXIS.search(names[0]) and AT.match(cells[0])):
            continue
        for name, cell in zip(names[1:], cells[1:], strict=True):
            if found := AMOUNT.match(cell):
                what, at = (f"{names[0]} {cells[0]}".strip(), name) if across else (name, cells[0])
                size = round(float(found[1]) * BYTES[found[2].upper()])
                seen[what].append(
                    SizeSeen(source=Source(text.name, line.number, line.quote), name=what, at=at, size=size)
                )
    for sizes in seen.values():
        yield from sizes if len(sizes) >= FEWEST_MOMENTS else ()


MOST_ROWS = 2000
PARSER = Parser(
    tool="sizes over time",
    medium="notes",
    footprint=footprint_of(COUNTED, BESIDE_A_TIME, MOMENTS, OF_A_PATH),
    read=read,
)
