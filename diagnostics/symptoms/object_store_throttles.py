"""An object store tells its client to ask less: SlowDown, 429, 503 with a reduced rate, a limit of requests.

What a client tries again without a word is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..incident import Incident
from ._errors import matching
from ._symptom import Finding, Symptom

ASKED_LESS = re.compile(
    r"\(SlowDown\)|\bTooManyRequests: 429\b.{0,60}storage|Please reduce your request rate|\bServerBusy\b"
    "|egress is over the account limit|Operations per second is over the account limit"
    "|rateLimitExceeded|The rate of requests .{0,60}exceeded|HTTP 429 .{0,60}(?:storage|s3|gcs|blob)"
    "|exceeded the rate limit for (?:object|bucket)"
)


def rule(incident: Incident) -> Iterator[Finding]:
    for said in matching(incident, ASKED_LESS):
        yield Finding(said.fact.subject, (said.fact,), said.text.splitlines()[0][:160])


SYMPTOM = Symptom(
    title="the object store holds its client to a rate",
    rule=rule,
    leak=0.0005,
    because="a store says so only to who asks more than it serves",
    command="grep -n -i -E 'slowdown|429|503|reduce your request rate' train.log | tail",
)
