"""How long batches, saves or evaluations took, by their middle and their longest.

    batch load time (s)
    median   0.8
    p99      6.1
    max     28.9

    save time: mean 41 s, p95 77 s, max 212 s

The longest is told, as the time of its phase. A spread without its middle, without its unit, or of something that is
no phase of a job is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Source
from ..evidence.training import PhaseTook
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser

UNIT = r"(?:ms|s|secs?|seconds|min|minutes)"
NUMBER = r"\d{1,9}(?:\.\d{1,6})?"
# batch load time (s)      step time [ms], last 2000 steps      time per batch in seconds:
HEADING = re.compile(
    rf"^[ \t]{{0,8}}(?P<name>(?:[\w-]{{1,20}} ){{0,3}}(?:time|duration|latency|wait)s?"
    rf"(?: (?:per|of an?|to) [\w-]{{1,20}}(?: [\w-]{{1,20}})?)?)"
    rf"(?: ?[(\[]| in )(?P<unit>{UNIT})[)\]]?(?:[,:;][^\n]{{0,60}})?[ \t]{{0,20}}$",
    re.I,
)
MIDDLE = re.compile(rf"\b(?:median|mean|average|avg|p50|50(?:th)? ?%?)[ \t:=]{{1,20}}{NUMBER}", re.I)
LONGEST = re.compile(
    rf"\b(?:max(?:imum)?|longest|slowest|worst)[ \t:=]{{1,20}}(?P<value>{NUMBER})(?: ?(?P<unit>{UNIT}))?\b", re.I
)
# save time: mean 41 s, p95 77 s, max 212 s
INLINE = re.compile(
    r"^[ \t]{0,8}(?P<name>(?:[\w-]{1,20} ){0,3}(?:time|duration|latency|wait)s?)[ :=,]{1,4}[^\n]{0,80}?"
    rf"\b(?:median|mean|average|avg|p50)[ :=]{{1,3}}{NUMBER} ?{UNIT}\b[^\n]{{0,80}}?"
    rf"\b(?:max(?:imum)?|longest|worst)[ :=]{{1,3}}(?P<value>{NUMBER}) ?(?P<unit>{UNIT})\b",
    re.I,
)
PHASES = (
    ("save", re.compile(r"\b(?:save|saving|checkpoint|ckpt|write)\b", re.I)),
    ("evaluation", re.compile(r"\b(?:eval(?:uation)?|val(?:idation)?)\b", re.I)),
    ("compile", re.compile(r"\bcompil", re.I)),
    ("batch", re.compile(r"\b(?:batch(?:es)?|data|loader|fetch|sample)\b", re.I)),
)
SCALE = {"ms": 1e-3, "mi": 60.0}
ROWS = 8  # below a heading


def read(text: Text) -> Iterator[PhaseTook]:
    name, unit, left, has_middle = "", "", 0, False
    for line in text.lines():
        said = line.text[:300]
        if found := INLINE.match(said):
            yield from _told(text, line, found["name"], found["value"], found["unit"])
        elif found := HEADING.match(said):
            name, unit, left, has_middle = found["name"], found["unit"], ROWS, False
        elif left and said.strip():
            left -= 1
            has_middle = has_middle or MIDDLE.search(said) is not None
            if has_middle and (found := LONGEST.search(said)):
                yield from _told(text, line, name, found["value"], found["unit"] or unit)
                left = 0


def _told(text: Text, line: Line, name: str, value: str, unit: str) -> Iterator[PhaseTook]:
    phase = next((phase for phase, words in PHASES if words.search(name)), None)
    if phase:
        yield PhaseTook(
            source=Source(text.name, line.number, line.quote),
            phase=phase,
            seconds=float(value) * SCALE.get(unit[:2].lower(), 1.0),
            text=f"{name.strip()}: at most {value} {unit}",
        )


PARSER = Parser(
    tool="a spread of times",
    medium="notes",
    footprint=footprint_of(HEADING, INLINE),
    read=read,
)
