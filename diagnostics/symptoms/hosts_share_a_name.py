"""Two machines call themselves by one name, so that each takes the other's GPUs for its own.

Two processes of one host's name in NCCL's log, which have another address of the same network on the same interface,
and belong together: one communicator holds both, or both set up ways that only lead within a machine (P2P, shared
memory), or NCCL finds one GPU twice. An address that changed between two runs is none: nothing joins the processes.
Never ABSENT.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ..evidence import Subject
from ..evidence.collective import NcclMessage
from ..incident import Incident
from ._symptom import Finding, Symptom

# NET : Using interface eno1:198.51.100.7<0>      Bootstrap : Using eth0:198.51.100.7<0>
LISTED = re.compile(r"(?<![\w.])([a-z][\w.-]{0,30}):(\d{1,3}(?:\.\d{1,3}){3})<\d")
# 0[0] -> 1[0] via P2P/IPC      Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 1000
WITHIN = re.compile(r"-> ?\d.{0,30} via (?:P2P|SHM|direct)|Duplicate GPU detected")
COMMUNICATOR = re.compile(r"\bcommId 0x([0-9a-f]{4,40})\b")

ON_THE_MACHINE = ("127.", "172.17.", "192.168.122.")  # loopback, and the bridges of Docker and libvirt: its containers


@dataclass
class Process:
    """What one process of a log says of where it runs."""

    addresses: dict[str, str] = field(default_factory=dict)
    said: list[NcclMessage] = field(default_factory=list)

    @cached_property
    def joined(self) -> set[str]:
        """The communicators that it is in, and whether it sets up ways that only lead within a machine."""
        texts = [message.text for message in self.said]
        within = {"within"} if any(map(WITHIN.search, texts)) else set()
        return within.union(*map(COMMUNICATOR.findall, texts))

    @property
    def told(self) -> list[NcclMessage]:
        """The lines that tell where it is or what it has joined."""
        telling = (LISTED, COMMUNICATOR, WITHIN)
        return [message for message in self.said if any(each.search(message.text) for each in telling)]


def rule(incident: Incident) -> Iterator[Finding]:
    for host, processes in _by_host(incident).items():
        first, *others = processes
        other = next((each for each in others if _elsewhere(first, each) and first.joined & each.joined), None)
        if other:
            here, *more = first.told
            there, *others_more = other.told
            mine, theirs = next(iter(first.addresses.values())), next(iter(other.addresses.values()))
            note = f"two machines call themselves {host}: one at {mine}, one at {theirs}"
            yield Finding(Subject(), (here, there, *more[-1:], *others_more[-1:]), note)


def _by_host(incident: Incident) -> dict[str, list[Process]]:
    """The processes that told an address, by the host that they name."""
    found: dict[tuple[str, int], Process] = defaultdict(Process)
    for message in incident.of(NcclMessage):
        if message.subject.host is None or message.subject.pid is None:
            continue
        process = found[message.subject.host, message.subject.pid]
        process.said.append(message)
        listed = LISTED.findall(message.text) if "Using" in message.text else []
        process.addresses |= {name: address for name, address in listed if not address.startswith(ON_THE_MACHINE)}
    hosts: dict[str, list[Process]] = defaultdict(list)
    for (host, _), process in found.items():
        if process.addresses:
            hosts[host].append(process)
    return hosts


def _elsewhere(first: Process, other: Process) -> bool:
    """True where two processes have no address in common, and two of one network on an interface of one name."""
    common = first.addresses.keys() & other.addresses.keys()
    pairs = [(first.addresses[name], other.addresses[name]) for name in common]
    same_network = any(mine.rpartition(".")[0] == theirs.rpartition(".")[0] for mine, theirs in pairs)
    return same_network and not set(first.addresses.values()) & set(other.addresses.values())


SYMPTOM = Symptom(
    title="two machines have one name",
    rule=rule,
    leak=0.0001,
    because="processes that share a name, an interface and no address are on two machines, which no sound job has",
    command="for h in HOSTS; do ssh $h hostname; done | sort | uniq -d",
    cost_minutes=2,
)
