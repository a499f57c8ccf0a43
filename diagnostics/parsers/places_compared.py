"""The same work measured with its files at several places, as people write it down.

    local ssd        : 412 files/s
    /mnt/gcs gcsfuse : 51 files/s  (num_parallel_calls=16)

    where            unpack 4,100 small files
    /tmp             real 0m2.848s
    /mnt/jfs         real 2m12.502s

    Benchmark results on EFS:
        - np.save:  save average run time: 10.4157 seconds
    Benchmark results on local filesystem:
        - np.save:  save average run time:  2.5268 seconds

Each row names a place, or stands below a title that does. Of one piece of work, less than half of the best speed is
slow. Rows on several numbers of nodes are read by `trial_times`, and rates of steps, samples and tokens by
`trial_rates`. A file in which fewer than two places were measured is none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from ..evidence import Severity, Source
from ..evidence.people import Trial
from ..places import PLACES
from ..text import Line, Text
from . import Parser
from ._trial_words import LARGEST, NODES, pace

_KIND = rf"{PLACES}|/dev/shm|page cache"
PLACE = re.compile(rf"(?:^|[\s(])(?:{_KIND})(?=[\s,:()]|$)|(?:^|[\s=(])/[\w.-]{{1,60}}", re.I)
# save average run time: 15.0580 seconds     real 2m12.502s     51 files/s     42 MB/s
TIME = re.compile(
    r"(?:(?:real|took|takes|in|time)[ \t:=]{1,4})?(?:(?P<minutes>\d{1,4})m ?)?(?P<value>\d{1,7}(?:\.\d{1,6})?) ?"
    r"(?P<unit>ms|s|secs?|seconds?|min(?:utes?)?)\b(?!/)",
    re.I,
)
RATE = re.compile(
    r"(?P<value>\d{1,9}(?:\.\d{1,4})?) ?(?P<unit>(?:files?|objects?|ops?|requests?|records?|iops)"
    r"(?:/s(?:ec)?| per second)|iops|[KMG]i?B/s(?:ec)?)\b",
    re.I,
)
SCALE = {"k": 1e3, "m": 1e6, "g": 1e9}
SECONDS = {"ms": 1e-3, "m": 60.0}
# local ssd        : 412 files/s     /tmp             real 0m2.848s
ROW = re.compile(
    r"^[ \t]{0,8}(?P<label>[^\s:=|][^:=|\n]{0,70}?)(?:[ \t]{0,30}[:=|]|[ \t]{2})[ \t]{0,30}(?P<rest>\S.{0,200})$"
)
# Benchmark results on EFS:
TITLE = re.compile(r"^[#=\s-]{0,6}(?P<title>[A-Za-z][^:|=]{2,80}?) {0,2}:?[=\s-]{0,6}$")
LABELLED = re.compile(r"^[ \t]{1,12}[-*]? ?(?P<label>[\w][^:|\n]{0,60}?)[ \t]{0,20}:[ \t]{1,20}(?P<rest>\S.{0,300})$")


class Measured(NamedTuple):
    """One row: the work and its place, in words, and a number that is the larger the better."""

    line: Line
    work: str
    place: str
    speed: float
    said: str


def read(text: Text) -> Iterator[Trial]:
    if len(text.data) > LARGEST:
        return
    rows = list(_below_titles(text)) or list(_rows(text))
    works: dict[str, list[Measured]] = defaultdict(list)
    for row in rows:
        works[row.work].append(row)
    for work, measured in works.items():
        if len({row.place for row in measured}) < 2:
            continue
        best = max(row.speed for row in measured)
        for row in measured:
            outcome = pace(row.speed, best)
            yield Trial(
                source=Source(text.name, row.line.number, row.line.quote),
                severity=Severity.INFO if outcome == "ok" else Severity.WARNING,
                condition=f"{work} {row.place}".strip(),
                outcome=outcome,
                text=row.said,
            )


def _rows(text: Text) -> Iterator[Measured]:
    """Rows that each name a place and one kind of number; nothing unless they are most of the file."""
    written = [line for line in text.lines() if line.text.strip()]
    found = []
    for line in written:
        row = ROW.match(line.text[:300])
        if row and PLACE.search(row["label"]) and not NODES.match(row["rest"]) and (number := _number(row["rest"])):
            found.append((number[1], Measured(line, "", row["label"].strip(), number[0], row["rest"].strip()[:120])))
    if len({kind for kind, _ in found}) == 1 and 2 * len(found) >= len(written):
        yield from (row for _, row in found)


def _below_titles(text: Text) -> Iterator[Measured]:
    """Labelled rows below titles that name a place."""
    title = ""
    for line in text.lines():
        said = line.text[:400]
        if (row := LABELLED.match(said)) and title:
            if number := _number(row["rest"]):
                yield Measured(line, row["label"].strip(), title, number[0], row["rest"].strip()[:120])
        elif found := TITLE.match(said):
            place = PLACE.search(found["title"])
            title = found["title"][place.start() :].strip() if place else ""


def _number(said: str) -> tuple[float, str] | None:
    """The first rate or time of a row, as a speed, and which of the two it is."""
    if (found := RATE.search(said[:80])) is not None:
        scale = SCALE.get(found["unit"][0].lower(), 1.0) if found["unit"][1:2].lower() in ("b", "i") else 1.0
        return float(found["value"]) * scale, "rate"
    if (found := TIME.search(said[:80])) is not None:
        unit = found["unit"].lower()
        per = SECONDS.get(unit, SECONDS["m"] if unit.startswith("min") else 1.0)
        seconds = float(found["value"]) * per + 60.0 * float(found["minutes"] or 0)
        return (1 / seconds, "time") if seconds > 0 else None
    return None


PARSER = Parser(
    tool="places compared",
    medium="trials",
    footprint=(
        rf"(?i)^[ \t]{{0,8}}([^:=|\n]{{0,60}}[\s(])?({_KIND}|/[\w./-]{{1,60}})[\s,:()][^\n]{{0,80}}\d ?"
        r"(ms|s|secs?|seconds?|min(utes?)?|(files?|objects?|ops?|requests?|records?)(/s| per s)|iops|[KMG]i?B/s)\b"
        rf"|^[#=\s-]{{0,6}}[a-z][^:|=\n]{{1,70}} ({_KIND}) {{0,2}}:[=\s-]{{0,6}}$"
    ),
    read=read,
)
