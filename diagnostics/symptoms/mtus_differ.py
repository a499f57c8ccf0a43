"""Hosts of one job send packets of different sizes: their MTUs differ.

From NCCL's queue pairs ("mtu 3" is 1024 bytes, 5 is 4096), `ibv_devinfo` and `ip link`. ABSENT where several hosts have
the same.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Evidence, Subject
from ..evidence.collective import NcclMessage
from ..evidence.job import SettingSeen
from ..incident import Incident
from ._symptom import Finding, Symptom

# NET/IB: Dev 0 Port 1 qpn 58 mtu 3 GID 3 (0/A10B0A0AFFFF0000)
OF_A_PAIR = re.compile(r"NET/IB ?: .{0,60}\bqpn \d{1,9} mtu (\d)\b")
BYTES = {"1": "256", "2": "512", "3": "1024", "4": "2048", "5": "4096"}
INSIDE = re.compile(r"^mtu (?:lo|docker|veth|br-|cali|cni|flannel|tunl|virbr|dummy)")

Sizes = dict[str, dict[str, Evidence]]  # host -> size -> who says so


def rule(incident: Incident) -> Iterator[Finding]:
    for name, hosts in _sizes(incident).items():
        told = {host: next(iter(sizes.items())) for host, sizes in hosts.items() if len(sizes) == 1}
        if len(told) < 2:
            continue
        facts = tuple(fact for _, fact in told.values())
        note = ", ".join(f"{host} {size}" for host, (size, _) in list(told.items())[:6])
        differ = len({size for size, _ in told.values()}) > 1
        yield Finding(Subject(), facts, f"{name}: {note}", present=differ)


def _sizes(incident: Incident) -> dict[str, Sizes]:
    """What sizes each host has of one kind: of NCCL's queue pairs, of an adapter, of an interface."""
    found: dict[str, Sizes] = defaultdict(lambda: defaultdict(dict))
    for message in incident.of(NcclMessage):
        if (pair := OF_A_PAIR.search(message.text)) and message.subject.host:
            found["mtu of queue pairs"][message.subject.host][BYTES.get(pair[1], pair[1])] = message
    for setting in incident.of(SettingSeen):
        if setting.name == "rdma mtu" or (setting.name.startswith("mtu ") and not INSIDE.match(setting.name)):
            found[setting.name][setting.subject.host or setting.source.file][setting.value] = setting
    return found


SYMPTOM = Symptom(
    title="hosts use different packet sizes",
    rule=rule,
    leak=0.0005,
    because="hosts of one network are set up alike",
    command="ibv_devinfo | grep active_mtu; ip -br link; ping -M do -s 8972 HOST",
)
