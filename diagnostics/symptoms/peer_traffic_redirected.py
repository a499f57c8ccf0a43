"""PCIe switches or root ports send traffic between devices up to the root complex: access control services (ACS) are
on.

`lspci -vvv` shows SrcValid+ and ReqRedir+ among a port's ACSCtl.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.job import SettingSeen
from ..incident import Incident
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    on = tuple(fact for fact in incident.of(SettingSeen) if fact.name == "PCIe ACS" and fact.value == "redirects")
    if on:
        yield Finding(on[0].subject, on[:4], f"access control services are on at {len(on)} ports")


SYMPTOM = Symptom(
    title="PCIe redirects traffic between devices",
    rule=rule,
    leak=0.02,
    because="firmware leaves it on by default on many a machine whose devices do not talk to each other",
    command="sudo lspci -vvv | grep -i ACSCtl",
)
