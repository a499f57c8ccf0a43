"""A host's packet filter lets in only what is listed.

Training needs more than the rendezvous' port: NCCL and gloo connect over ports that the system picks. Never ABSENT: the
filter may be on another host, or in the network between.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.network import Firewall
from ..incident import Incident
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    for fact in incident.of(Firewall):
        what = f"only {fact.allows}" if fact.allows else "only what its rules name"
        yield Finding(fact.subject, (fact,), f"{fact.tool} lets in {what}")


SYMPTOM = Symptom(
    title="a packet filter lets in only what is listed",
    rule=rule,
    leak=0.05,
    because="a filter that is in force is common where nodes are not in a network of their own; somebody kept its "
    "listing",
    command="sudo firewall-cmd --list-all; sudo ufw status; sudo iptables -L INPUT -n",
)
