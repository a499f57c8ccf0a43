"""A file's checksum is not what it should be: `md5sum -c` or a program says so, two copies have different digests, or
a store that names files by their digest (a model hub's blobs, OCI, git-lfs) holds one whose digest is another.

A file that could not be read is not a mismatch. ABSENT where checksums were compared and all agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.storage import ChecksumVerdict
from ..incident import Incident
from ._checkpoints import mismatches
from ._errors import matching
from ._places import place
from ._symptom import Finding, Symptom

MISMATCH = re.compile(
    r"\b(?:checksum|hash|md5|sha-?256|crc32?c?|digest)\b.{0,40}(?:mismatch|does not match|do not match|differ)"
    r"|\b(?:checksum|crc\w{0,4}) failure|failed verification|Bad CRC-32|CRC (?:error|mismatch|check failed)",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each mismatch; else the comparisons that agreed."""
    found = False
    for said in matching(incident, MISMATCH):
        found = True
        yield Finding(place(incident, said.path, said.fact), (said.fact,), said.text.splitlines()[0][:160])
    for path, facts in mismatches(incident):
        found = True
        yield Finding(place(incident, path, facts[0]), facts, f"{path} is not what it should be")
    agreed = [verdict for verdict in incident.of(ChecksumVerdict) if verdict.outcome == "ok"]
    if agreed and not found:
        yield Finding(Subject(), tuple(agreed), "every compared checksum agrees", present=False)


SYMPTOM = Symptom(
    title="a checksum differs",
    rule=rule,
    leak=0.004,
    because="bytes change between two readings only when something changed them",
    tells_apart=("mount",),
    command="md5sum FILE; md5sum -c MD5SUMS; cmp ORIGINAL COPY",
)
