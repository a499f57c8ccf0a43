"""A GPU at work has a narrower or older PCIe link than most of the others beside it.

An idle GPU lowers its link to save power, so only one at work counts. ABSENT where every GPU at work has the link of
the others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.gpu import GpuStatus
from ..incident import Incident
from ._reports import gpu_subject
from ._symptom import Finding, Symptom

WORKING_PERCENT = 20.0


def rule(incident: Incident) -> Iterator[Finding]:
    hosts: dict[str | None, list[GpuStatus]] = defaultdict(list)
    for status in incident.of(GpuStatus):
        if _speed(status) and (status.utilisation_percent or 0.0) >= WORKING_PERCENT:
            hosts[status.subject.host].append(status)
    for group in hosts.values():
        best = max(_speed(each) for each in group)
        slow = [each for each in group if _speed(each) < best]
        if slow and len(slow) < len(group) / 2:
            for each in slow:
                note = (
                    f"{_told(each)} at work, where {len(group) - len(slow)} beside it have "
                    f"{_told(max(group, key=_speed))}"
                )
                yield Finding(gpu_subject(incident, each.subject), (each,), note)
        elif len(group) > 1 and not slow:
            yield Finding(Subject(), tuple(group), f"{len(group)} GPUs at work have the same link", present=False)


def _speed(status: GpuStatus) -> float:
    """What the link carries, in lanes of the first generation; each generation doubles it. 0 where nothing is said."""
    generation, width = status.pcie_generation, status.pcie_width
    return 2.0 ** ((generation or 1.0) - 1.0) * (width or 1.0) if generation or width else 0.0


def _told(status: GpuStatus) -> str:
    said = (("generation", status.pcie_generation), ("width", status.pcie_width))
    return "PCIe " + ", ".join(f"{name} {value:.0f}" for name, value in said if value is not None)


SYMPTOM = Symptom(
    title="a GPU's PCIe link is slower than the others'",
    rule=rule,
    leak=0.0005,
    because="slots of a machine may differ by design; those of a GPU server are alike",
    tells_apart=("host", "gpu"),
    command="nvidia-smi --query-gpu=index,pcie.link.gen.current,pcie.link.width.current,utilization.gpu --format=csv",
)
