"""What a person wrote about the incident: sentences that no tool prints.

    Training stopped printing at some point, the watchdog restarted it (or tried to). GPU util 0 since then.
    Storage team says the array has plenty of space.

Notes are shown and never weighed. This parser is asked last, for an artefact in which no other found anything, and
claims it only when most of its lines read like prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Source
from ..evidence.job import OperatorNote
from ..text import Text
from . import Parser

WORD = re.compile(r"[A-Za-z][a-z']{1,20}\b")
PROSE = re.compile(r"^\s{0,8}(?:[-*] )?[A-Z\"'(\[]?[A-Za-z][\w'\",;:()/%.?!+ -]{8,1000}$")
LIMIT = 200  # lines: nobody writes a longer note, and every tool's log is one


def read(text: Text) -> Iterator[Evidence]:
    lines = [line for _, line in zip(range(LIMIT + 1), text.lines(), strict=False) if line.text.strip()]
    if not lines or len(lines) > LIMIT or sum(_is_prose(line.text) for line in lines) < 0.6 * len(lines):
        return
    for line in lines:
        if _is_prose(line.text):
            yield OperatorNote(source=Source(text.name, line.number, line.quote), text=line.text.strip())


def _is_prose(said: str) -> bool:
    words = WORD.findall(said[:1000])
    return len(words) >= 3 and len(" ".join(words)) > 0.55 * len(said.strip()) and PROSE.match(said) is not None


PARSER = Parser(tool="a person", medium="notes", footprint=r"[a-z] [a-z]", read=read, last=True)
