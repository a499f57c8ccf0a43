"""Somebody was told that a quota is used up (EDQUOT), or a quota tool shows a use at or over its limit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.storage import QuotaUsage, VolumeClientMessage
from ..filesystems import QUOTAS, by_filesystem
from ..incident import Incident
from ._errors import matching
from ._places import place, place_of_error, volume_of_client
from ._symptom import Finding, Symptom

QUOTA = re.compile(
    r"quota exceeded|EDQUOT|QuotaExceeded|code: 122\b|\[Errno 122\]|over (?:disk )?quota|quota (?:limit )?reached"
    r"|exceed(?:ed|ing) (?:its |the |your )?(?:\w+ )?quota|\bos error 122\b",
    re.I,
)
NEARLY = 0.999  # of the hard limit: the write that did not fit leaves a little


def rule(incident: Incident) -> Iterator[Finding]:
    """Each such error with the volume it was about."""
    for said in matching(incident, QUOTA, "EDQUOT", orchestrator=True):
        yield Finding(place_of_error(incident, said.fact, said.path), (said.fact,), said.text.splitlines()[0][:160])
    for message in incident.of(VolumeClientMessage):
        if message.about == "over-quota":
            yield Finding(volume_of_client(incident, message, message.filesystem), (message,), message.text[:160])
    for row in incident.of(QuotaUsage):
        if row.marked or (row.hard and row.used >= NEARLY * row.hard):
            what = "files" if row.files else "space"
            where = place(incident, row.subject.path or row.subject.mount, row)
            subject = where if row.subject.mount and where.mount else row.subject
            yield Finding(
                subject, (row,), f"the quota of {what} on {row.subject.mount or row.subject.device} is used up"
            )


SYMPTOM = Symptom(
    title="an error says that a quota is used up",
    rule=rule,
    leak=0.0002,
    because="only a quota returns this errno",
    tells_apart=("mount",),
    command=by_filesystem(
        "quota -s; df -h MOUNT; df -i MOUNT",
        **{name: f"{asked}; df -h MOUNT; df -i MOUNT" for name, asked in QUOTAS.items()},
    ),
)
