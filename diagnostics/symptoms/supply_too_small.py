"""The GPUs of a machine may draw nearly all that its power supplies can give.

The sum of the GPUs' power limits is over 80 % of the supplies' capacity: processors, memory and fans need the rest, and
a GPU's peaks exceed its limit for milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.gpu import GpuStatus
from ..evidence.kernel import PowerSupply
from ..incident import Incident
from ._symptom import Finding, Symptom

MOST = 0.8  # of the supplies' capacity


def rule(incident: Incident) -> Iterator[Finding]:
    supplies = incident.of(PowerSupply)
    limits = {
        (fact.subject.gpu, fact.subject.pci): fact for fact in incident.of(GpuStatus) if fact.power_limit_w is not None
    }
    wanted = sum(fact.power_limit_w or 0.0 for fact in limits.values())
    given = sum(supply.capacity_w for supply in supplies)
    if supplies and wanted > MOST * given:
        note = f"the GPUs may draw {wanted:.0f} W, the power supplies give {given:.0f} W"
        yield Finding(Subject(), (*supplies, *limits.values()), note)


SYMPTOM = Symptom(
    title="the power supplies are too small for the GPUs",
    rule=rule,
    leak=0.003,
    because="a workstation that got a larger card and kept its supply, and is seldom loaded",
    tells_apart=("host",),
    command="sudo dmidecode -t 39; nvidia-smi --query-gpu=index,power.limit --format=csv",
)
