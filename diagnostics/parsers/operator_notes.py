"""What a person wrote about the incident: sentences that no tool prints.

    Training stopped printing at some point, the watchdog restarted it (or tried to). GPU util 0 since then.
    Storage team says the array has plenty of space.

Notes are shown and never weighed. This parser is asked last, for an artefact in which no other found anything, and
claims it only when most of its lines read like prose.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Evidence, Source
from ..evidence.people import OperatorNote
from ..text import Text
from . import Parser
from ._prose import is_note, is_sentence


def read(text: Text) -> Iterator[Evidence]:
    if is_note(text):
        for line in text.lines():
            if is_sentence(line.text):
                yield OperatorNote(source=Source(text.name, line.number, line.quote), text=line.text.strip())


PARSER = Parser(tool="a person", medium="notes", footprint=r"[a-z] [a-z]", read=read, claims="alone")
