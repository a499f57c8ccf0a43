"""Ways of a copy, with whether what arrived was what was sent.

    cuda:0 -> cpu -> cuda:1   equal: True
    cuda:0 -> cuda:1          equal: False

A file that has only one such row is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.people import Trial
from ..text import Text
from . import Parser
from ._trial_words import FEWEST_ROWS, short_lines, trial

_SAME = r"(?:equal|identical|allclose|match(?:es)?|same)[ :=]{1,4}(?P<same>True|False|yes|no)"
# cuda:0 -> cpu -> cuda:1 equal: True
COMPARED = re.compile(
    rf"^\s{{0,8}}(?P<condition>\w[^\n=]{{0,60}}?(?:->|=>)[^\n=]{{1,60}}?)[ \t:|]{{1,40}}(?P<text>{_SAME})$", re.I
)


def read(text: Text) -> Iterator[Trial]:
    rows = [(line, row) for line in short_lines(text) if (row := COMPARED.match(line.text.rstrip()))]
    for line, row in rows if len(rows) >= FEWEST_ROWS else ():
        outcome = "ok" if row["same"].lower() in ("true", "yes") else "fail"
        yield trial(text, line, row["condition"].strip(), row["text"], outcome)


PARSER = Parser(
    tool="copies compared",
    medium="trials",
    footprint=rf"(?i)(?:->|=>)[^\n=]{{1,60}}[ \t:|]{_SAME}",
    read=read,
)
