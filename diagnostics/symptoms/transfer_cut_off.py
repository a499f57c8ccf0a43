"""A copy or download says that it ended in the middle: the connection closed with bytes remaining, or it was
interrupted.

By scp, rsync, curl, wget, or a library that counted fewer bytes than it was promised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.storage import ToolError
from ..incident import Incident
from ._errors import matching
from ._symptom import Finding, Symptom

FEWER = re.compile(
    r"IncompleteRead\(\d|Connection broken: |retrieval incomplete: got only|ContentTooShortError|ContentLengthError"
    r"|Consistency check failed: file should be of size|end of file before message length reached"
)


def rule(incident: Incident) -> Iterator[Finding]:
    for fact in incident.of(ToolError):
        if fact.operation == "transfer":
            yield Finding(fact.subject, (fact,), f"{fact.tool}: {fact.text}"[:160])
    for said in matching(incident, FEWER):
        yield Finding(said.fact.subject, (said.fact,), said.text.splitlines()[0][:160])


SYMPTOM = Symptom(
    title="a copy or download was cut off",
    rule=rule,
    leak=0.01,
    because="connections break, and most tools then try again",
    command="ls -l --full-time SOURCE COPY; md5sum SOURCE COPY",
)
