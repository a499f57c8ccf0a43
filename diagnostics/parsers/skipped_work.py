"""Samples and batches that a rank left out as it trained, in its own log.

    [rank1] skipping batch 41: no labels left after truncation
    12:04:41 [rank3] loader: sample 88f1 dropped, 0 tokens after filtering
    rank 5: micro-batch 2 is empty, skipping it

Only of lines that name their rank: what all ranks skip together is harmless. Skipped is what a run leaves out to come
back to where it was, what it counts as none, and what a setting says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.training import WorkSkipped
from ..footprint import footprint_of
from ..text import Text
from . import Parser
from ._job_lines import Words, messages

_WORK = r"(?:samples?|(?:micro[-_ ]?)?batch(?:es)?|examples?|sequences?|documents?|clips?)"
SKIPS = re.compile(
    rf"(?i)\b(?:skip(?:s|ped|ping)?|drop(?:s|ped|ping)|discard(?:s|ed|ing)?|filtered out) (?:\w[\w-]{{0,20}} ){{0,3}}"
    rf"{_WORK}\b"
    rf"|\b{_WORK}(?: \S{{1,60}}?){{0,3}}[ :,;-]{{1,3}}(?:skipped|skipping|dropped|dropping|discarded|filtered out)\b"
)
# to come back to where a run was; none; of all ranks alike; a count over a whole set
HARMLESS = re.compile(
    r"(?i)\bresum|\bfirst \d|\balready\b|\bfast[- ]?forward|\b(?:all|every|each) (?:other )?ranks?\b"
    r"|\b(?:skip|drop|discard)\w{0,5}[ :=]{1,2}0\b|\b0 (?:samples|batches|examples)\b.{0,20}(?:skip|drop|discard)"
    r"|\b(?:skipp|dropp|discard)(?:ed|ing) \d{2,12} |drop_last"
)
NAMED = re.compile(r"^rank[ =:]{1,2}(\d{1,6})\b")
INTERESTING = Words("skip|drop|discard|filtered out")


def read(text: Text) -> Iterator[WorkSkipped]:
    for message in messages(text, INTERESTING):
        said = message.text[:1000]
        named = NAMED.match(said)
        rank = message.rank if message.rank is not None else int(named[1]) if named else None
        if rank is not None and SKIPS.search(said) and not HARMLESS.search(said):
            yield WorkSkipped(**message.facts(text, rank=rank), severity=Severity.WARNING, text=said)


PARSER = Parser(tool="ranks that skip work", medium="job-log", footprint=footprint_of(SKIPS), read=read)
