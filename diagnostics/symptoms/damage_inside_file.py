"""A reader's own sum over a part of a file is wrong in the middle of it: a record, a member of an archive, a block.

A torn file ends too soon instead, and a file of another kind fails at its first byte; neither counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from ._errors import matching
from ._places import place
from ._symptom import Finding, Symptom

DAMAGED = re.compile(
    r"corrupted record at [1-9]\d|Bad CRC-32 for file|Stored and computed checksum do not match"
    "|CRC checksum verification failed"
    r"|(?:block|page|chunk|record|frame) (?:\d{1,12}:? )?(?:checksum|crc32?c?)\b.{0,40}"
    "(?:mismatch|does not match|differ|wrong)"
    "|(?:crc error|checksum error|bad checksum) (?:in|at) (?:block|offset|record)"
    "|invalid compressed data--crc error|incorrect data check",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    for said in matching(incident, DAMAGED):
        yield Finding(place(incident, said.path, said.fact), (said.fact,), said.text.splitlines()[0][:160])


SYMPTOM = Symptom(
    title="a part in the middle of a file is damaged",
    rule=rule,
    leak=0.0005,
    because="a sum over a part that is there fails only where its bytes have changed",
    tells_apart=("path",),
    command="python -m diagnostics checkpoint verify FILE; cmp FILE COPY",
)
