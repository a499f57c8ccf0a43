"""RDMA over Ethernet uses the port's first address, which is not routed, although a routed one is there.

The port's index 0 is link-local or RoCE version 1, another index is RoCE version 2 with an IPv4 address, NCCL uses RoCE,
and nothing set NCCL_IB_GID_INDEX but a trial. Newer NCCL chooses by itself, so it is a sign only beside a failure.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.job import NcclMessage, SettingSeen, Trial
from ..evidence.network import GidEntry
from ..incident import Incident
from . import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    over_ethernet = [message for message in incident.of(NcclMessage) if "/RoCE" in message.text]
    tried = {(trial.source.file, trial.source.line) for trial in incident.of(Trial)}
    settings = [each for each in incident.of(SettingSeen) if (each.source.file, each.source.line) not in tried]
    if not over_ethernet or any(setting.name == "NCCL_IB_GID_INDEX" for setting in settings):
        return
    entries = incident.of(GidEntry)
    for first in (entry for entry in entries if entry.index == 0 and not _routed(entry)):
        better = [each for each in entries if each.subject.interface == first.subject.interface and _routed(each)]
        if better:
            note = (
                f"{first.subject.interface} offers {first.address} first and {better[0].address} at {better[0].index}"
            )
            yield Finding(first.subject, (first, better[0], over_ethernet[0]), note)


def _routed(entry: GidEntry) -> bool:
    return entry.version == 2 and not entry.address.startswith("fe80")


SYMPTOM = Symptom(
    title="the first address of a RoCE port is not routed",
    rule=rule,
    leak=0.01,
    because="addresses are listed when somebody doubts them; newer NCCL passes over the first",
    tells_apart=("interface",),
    command="show_gids; env | grep NCCL_IB",
)
