"""RDMA gave up after all its retries: the peer acknowledged nothing (a completion with error 12).

A receiver that was not ready (RNR) is error 13 and none. The message comes from the side that was left waiting: a link
that loses packets, a wrong address or size, a peer that is gone and one whose host hangs all look so.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..incident import Incident
from ._network import RETRY_EXCEEDED
from ._reports import said
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for message in said(incident, RETRY_EXCEEDED):
        yield Finding(message.subject, (message,), "RDMA gave up after all its retries (error 12)")


SYMPTOM = Symptom(
    title="RDMA gave up after all its retries",
    rule=rule,
    leak=0.01,
    because="a peer that died in the middle of a transfer, of whatever it was, leaves the same error 12",
    tells_apart=("host", "interface"),
    command="grep -rn -E 'status=12|error 12|retry' *.log   # of the peer too; ibqueryerrors; rdma link; show_gids",
    may_pass=True,
)
