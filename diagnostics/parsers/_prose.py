"""Tells what a person wrote from what a program printed."""

from __future__ import annotations

import re
from itertools import islice

from ..text import Text

LIMIT = 200  # lines: nobody writes a longer note, and every tool's log is one
SHARE = 0.6
REPEATS = 3
NUMBER = re.compile(r"\d[\d.e+-]{0,40}")
WORD = re.compile(r"[A-Za-z][a-z']{1,20}\b")
# KeyError: text      UserWarning: text      WARNING: text
PROGRAM = re.compile(
    r"^\s{0,8}(?:[(\[][\w .=,:-]{1,40}[)\]] )?(?:[A-Za-z_][\w.]{0,60}(?:Error|Exception|Warning)|Exception"
    "|E[A-Z]{3,12}|WARN(?:ING)?|ERROR|INFO|FATAL|CRITICAL): "
)
SENTENCE = re.compile(r"^\s{0,8}(?:[-*] )?[A-Z\"'(\[]?[A-Za-z][\w'\",;:()/%.?!+ -]{8,1000}$")


def is_sentence(line: str) -> bool:
    """True when a line is mostly lower-case words and has no programs' punctuation."""
    words = WORD.findall(line[:1000])
    return (
        not PROGRAM.match(line)
        and len(words) >= 3
        and len(" ".join(words)) > 0.55 * len(line.strip())
        and SENTENCE.match(line) is not None
    )


def is_note(text: Text) -> bool:
    """True when most lines of a short artefact are sentences."""
    lines = [line.text for line in islice(text.lines(), LIMIT + 1) if line.text.strip()]
    if len(lines) >= REPEATS and len({NUMBER.sub("0", line) for line in lines}) == 1:
        return False  # only a program says the same again with another number
    return 0 < len(lines) <= LIMIT and sum(map(is_sentence, lines)) >= SHARE * len(lines)
