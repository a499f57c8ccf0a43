"""On the host that was to hold the job's store, nobody listens on its port.

Somebody looked (`ss -ltn | grep PORT`) and saw nothing, while ranks call that port in vain; torch's own ports 29400 and
29500 count where the job names none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.collective import RemoteFailure
from ..evidence.network import Reachability
from ..incident import Incident
from ._reports import said, words_of
from ._symptom import Finding, Symptom

OF_TORCH = frozenset({"29400", "29500"})
CALLS = re.compile(r"timed? ?out|Rendezvous\w{0,12}Error|failed to connect|refused|Socket", re.I)


def rule(incident: Incident) -> Iterator[Finding]:
    looks = [look for look in incident.of(Reachability) if look.outcome == "no-listener"]
    calls = [*incident.of(RemoteFailure), *said(incident, CALLS)] if looks else []
    for look in looks:
        port = (look.subject.server or "").rpartition(":")[2]
        named = [call for call in calls if re.search(rf"\b{port}\b", words_of(call))]
        if named or (calls and port in OF_TORCH):
            yield Finding(look.subject, (look, (named or calls)[0]), f"nobody listens on port {port}")


SYMPTOM = Symptom(
    title="nobody listens where the ranks are to meet",
    rule=rule,
    leak=0.003,
    because="the process that held the store may have ended before somebody looked",
    command="ss -ltnp | grep PORT; getent hosts $(hostname); ip -br address",
)
