"""Somebody was told that a quota is used up (EDQUOT), or a quota tool shows a use at or over its limit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from . import Finding, Symptom
from ._errors import matching
from ._places import place_of_error

QUOTA = re.compile(
    r"quota exceeded|EDQUOT|QuotaExceeded|code: 122\b|\[Errno 122\]|over (?:disk )?quota|quota (?:limit )?reached"
    r"|exceeded (?:its |the |your )?(?:\w+ )?quota",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each such error with the volume it was about."""
    for said in matching(incident, QUOTA, "EDQUOT"):
        yield Finding(place_of_error(incident, said.fact, said.path), (said.fact,), said.text.splitlines()[0][:160])


SYMPTOM = Symptom(
    title="an error says that a quota is used up",
    rule=rule,
    leak=0.0002,
    because="only a quota returns this errno",
    tells_apart=("mount",),
    command="quota -s; lfs quota -h -u $USER MOUNT; df -h MOUNT; df -i MOUNT",
)
