"""How long the first call of something compiled took and how long a later one, as people write it down.

    compiled, 1024x1024 first call   182 s
    compiled, 1024x1024 second call    9 s
    torch.compile first step: 212.4 s
    torch.compile next steps: 0.9 s

What the first took longer is the compilation. Both rows say the same but for that word, and some row says that it is
compiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..durations import seconds
from ..evidence import Source
from ..evidence.training import PhaseTook
from ..text import Line, Text
from . import Parser

COMPILED = re.compile(
    r"(?<!without )(?<!no )(?:compil\w{0,8}|\bjit|\binductor|\bxla|\btriton)\b"
    r"(?! ?[:=]? ?(?:off|false|disabled|no|none|0)\b)",
    re.I,
)
ROW = re.compile(
    r"^\s{0,8}(?P<before>[^\n]{0,100}?)\b(?P<turn>first|1st|second|2nd|next|later|following|repeated|warm|cold)\b "
    "(?P<what>calls?|runs?|steps?|iterations?|requests?|batch(?:es)?|passes|pass)"
    r"[ :=]{1,40}(?P<amount>\d{1,7}(?:\.\d{1,6})? ?(?:ms|s|sec|secs|seconds|min|minutes)|\d{1,4}m\d{1,2}s)\b",
    re.I,
)
FIRST = frozenset(("first", "1st", "cold"))
TIMES, MORE_S = 3.0, 20.0
LARGEST = 64 << 10  # bytes


def read(text: Text) -> Iterator[PhaseTook]:
    if len(text.data) > LARGEST or not any(COMPILED.search(line.text[:400]) for line in text.lines()):
        return
    first: dict[str, tuple[Line, float]] = {}
    later: dict[str, float] = {}
    for line in text.lines():
        found = ROW.match(line.text[:300])
        took = seconds(found["amount"]) if found else None
        if found is None or took is None:
            continue
        name = " ".join((found["before"] + found["what"].rstrip("s")).lower().split())
        if found["turn"].lower() in FIRST:
            first.setdefault(name, (line, took))
        else:
            later.setdefault(name, took)
    for name, (line, took) in first.items():
        more = took - later.get(name, took)
        if more >= MORE_S and took >= TIMES * later[name]:
            source = Source(text.name, line.number, line.quote)
            yield PhaseTook(source=source, phase="compile", seconds=more, text=f"compilation at the {name}")


PARSER = Parser(
    tool="first and later calls",
    medium="benchmarks",
    footprint=r"(?i)\b(?:first|1st|cold)\b (?:calls?|runs?|steps?|iterations?|requests?|batch(?:es)?|passes"
    r"|pass)[ :=]{1,40}\d[\d.]{0,12} ?(?:ms|s|sec|secs|seconds|min|minutes|m\d{1,2}s)\b",
    read=read,
)
