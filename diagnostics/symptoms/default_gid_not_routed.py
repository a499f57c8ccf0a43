"""RDMA over Ethernet uses the port's first address, which is not routed, although a routed one is there.

A job's log says which index it uses, and that one is link-local or RoCE version 1. Or the port's index 0 is link-local
or RoCE version 1, NCCL uses RoCE, and nothing set NCCL_IB_GID_INDEX but a trial. Newer NCCL chooses by itself, so it is
a sign only beside a failure. Another index of the port is RoCE version 2 with an address that is routed. Or RDMA gave
up on a packet between two link-local addresses, which NCCL names over Ethernet alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence.collective import NcclMessage
from ..evidence.job import SettingSeen
from ..evidence.network import GidEntry
from ..evidence.people import Trial
from ..incident import Incident
from ._reports import said, words_of
from ._symptom import Finding, Symptom

# NET/IB: bnxt_re0:1 using GID index 0      using GID index 0 on mlx5_0
USES = re.compile(
    r"(?i)\b(?:(?P<port>\w{2,40}):\d{1,2} )?us(?:ing|es) gid(?:[ _]index)?[ :=#]{1,3}(?P<index>\d{1,3})\b"
    r"(?: on (?P<on>\w{2,40}))?"
)


# Got completion from peer 192.0.2.5<51210> with status=12 opcode=0 len=0 vendor err 129 (Recv) localGid fe80::a2
# remoteGids fe80::a3
GAVE_UP = re.compile(
    r"completion from peer .{0,80}(?:status=|error )12\b.{0,200}\blocalGid ?(?P<own>fe80:\S{1,40}) remoteGids? ?"
    r"(?P<other>fe80:\S{1,40})"
)


def rule(incident: Incident) -> Iterator[Finding]:
    yield from _said_to_be_used(incident)
    for fact in said(incident, GAVE_UP):
        found = GAVE_UP.search(words_of(fact))
        note = f"no answer from {found['other']} to {found['own']}" if found else ""
        yield Finding(fact.subject, (fact,), note)
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


def _said_to_be_used(incident: Incident) -> Iterator[Finding]:
    entries = incident.of(GidEntry)
    for fact in said(incident, USES) if entries else ():
        found = USES.search(words_of(fact))
        port = (found["port"] or found["on"]) if found else None
        used = [e for e in entries if found and e.index == int(found["index"]) and e.subject.interface == port]
        better = [e for e in entries if e.subject.interface == port and _routed(e)]
        if used and better and not _routed(used[0]):
            note = (
                f"{port} uses {used[0].address} at {used[0].index}; {better[0].address} at {better[0].index} is routed"
            )
            yield Finding(used[0].subject, (fact, used[0], better[0]), note)


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
