"""Ranks talk, or try to talk, over an interface that the other nodes cannot reach.

NCCL or gloo chose loopback, or a bridge of the container runtime, while other interfaces are there or ranks live on
other hosts; or a rank was told to connect to an address that no other host has: link-local (169.254.x.x), the container
runtime's first bridge (172.17.x.x), or the 127.0.1.1 that some distributions give to a host's own name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.job import NcclMessage, SettingSeen
from ..incident import Incident
from . import Finding, Symptom
from ._reports import findings, said, words_of

CHOSEN = re.compile(
    r"(?:Using(?: interface)?|Bootstrap ?:.{0,20}Using)[ :]+(?:\[0\])?(lo|docker0|virbr\d+|br-[0-9a-f]+)\b"
)
NOBODY_ELSES = re.compile(r"\bconnect(?:ion|ing)?(?: (?:to|failed))?:? {0,2}\[?(?:169\.254|172\.17|127\.0\.1)\.\d{1,3}\b", re.I)
FORCED = re.compile(r"^=?(?:lo|docker|virbr)")


def rule(incident: Incident) -> Iterator[Finding]:
    messages = incident.of(NcclMessage)
    hosts = {message.subject.host for message in messages if message.subject.host}
    for message in messages:
        match = CHOSEN.search(message.text)
        alone = len(hosts) < 2
        if match and not (alone and match[1] == "lo"):  # one host may well talk to itself over loopback
            yield Finding(message.subject, (message,), f"{message.subject.host or 'a node'} chose {match[1]}")
    yield from findings(incident, [(fact, words_of(fact)) for fact in said(incident, NOBODY_ELSES)])
    for setting in incident.of(SettingSeen):
        if setting.name in ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME") and FORCED.match(setting.value):
            yield Finding(setting.subject, (setting,), f"{setting.name} is {setting.value}")


SYMPTOM = Symptom(
    title="ranks use an interface that others cannot reach",
    rule=rule,
    leak=0.003,
    because="on one host it does no harm; over several it cannot work",
    command="NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET torchrun ... 2>&1 | grep -E 'Using|NET/'; ip -br address",
    cost_minutes=5,
)
