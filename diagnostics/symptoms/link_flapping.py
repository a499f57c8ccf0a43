"""A network port goes down and up again and again, or reports asynchronous errors repeatedly.

At least two losses of one port's link, or two port events that NCCL received. Events of a queue pair are none: they
tell of one connection; nor are those of the fabric's manager. That the port's addresses
were changed is one where RDMA gave up too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Evidence, Severity
from ..evidence.collective import NcclMessage
from ..evidence.kernel import LinkChange
from ..incident import Incident
from ..machines import Machines, by_machine
from ._network import RETRY_EXCEEDED
from ._reports import is_over, said
from ._symptom import Finding, Symptom

EVENT = re.compile(
    "async(?:hronous|ync)? (?:fatal )?event.{0,20}port (?:error|active)"
    r"|Got async event(?! ?: ?(?:(?:local|invalid)\b.{0,20}\bwork queue|communication established|send queue"
    "|(?:LID|P_Key table|SM) change|client reregistration|last WQE|CQ error|SRQ|fatal error in (?:QP|CQ)))",
    re.I,
)
ADDRESSES = "GID table change"
REPEATED = 2


def rule(incident: Incident) -> Iterator[Finding]:
    ports: dict[tuple[str, str | None], list[Evidence]] = defaultdict(list)
    machines = Machines(incident.of(LinkChange))
    for change in incident.of(LinkChange):
        if not change.up and change.severity is not Severity.INFO and not is_over(incident, change, passes=True):
            ports[machines.of(change), change.subject.interface].append(change)
    gave_up = any(said(incident, RETRY_EXCEEDED))
    events = [
        message
        for message in incident.of(NcclMessage)
        if EVENT.search(message.text) and (gave_up or ADDRESSES not in message.text)
    ]
    for (_, interface), changes in ports.items():
        if len(changes) >= REPEATED:
            note = f"{interface or 'a port'} lost its link {len(changes)} times"
            yield Finding(changes[0].subject, tuple(changes[:8]), note)
    for received in by_machine(events):
        if len(received) >= REPEATED:
            yield Finding(received[0].subject, tuple(received[:8]), f"NCCL received {len(received)} port errors")


SYMPTOM = Symptom(
    title="a network port flaps",
    rule=rule,
    leak=0.003,
    because="a sound link goes down only with its node or switch",
    command="sudo dmesg -T | grep -iE 'link (down|up)'; ibqueryerrors; ethtool -S IFACE | grep -iE 'err|drop|crc'",
    may_pass=True,
)
