"""A tool that lists RDMA adapters finds none, or cannot use those that are there."""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.network import RdmaDevices
from ..incident import Incident
from ._reports import findings
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    yield from findings(incident, [(fact, fact.text) for fact in incident.of(RdmaDevices) if not fact.found])


SYMPTOM = Symptom(
    title="no RDMA adapter is found",
    rule=rule,
    leak=0.0008,
    because="nobody asks for the adapters of a machine that has none",
    tells_apart=("host",),
    command="ibv_devices; ls /dev/infiniband /sys/class/infiniband; lspci | grep -iE 'infiniband|mellanox|efa'; "
    "fi_info -p efa",
)
