"""The GPUs work in fits, with nothing to do most of the time, and what is mounted for data is a spinning disk.

By lsblk's ROTA of a mount below none of the system's folders, and three looks or more at the GPUs' use: the middle
one is a tenth at most, the highest two thirds or more. ABSENT where every such disk is none that turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from ..evidence import Subject
from ..evidence.gpu import GpuStatus
from ..evidence.storage import BlockDeviceSeen
from ..incident import Incident
from . import Finding, Symptom

SYSTEM = ("/boot", "/efi", "/var", "/usr", "/snap")
LOOKS, IDLE, BUSY = 3, 10.0, 66.0


def rule(incident: Incident) -> Iterator[Finding]:
    disks = [
        disk
        for disk in incident.of(BlockDeviceSeen)
        if disk.rotational is not None and disk.subject.mount and not disk.subject.mount.startswith(SYSTEM)
    ]
    data = [disk for disk in disks if disk.subject.mount != "/"] or disks
    turning = [disk for disk in data if disk.rotational]
    looks = [fact for fact in incident.of(GpuStatus) if fact.utilisation_percent is not None]
    used = [fact.utilisation_percent or 0.0 for fact in looks]
    if len(turning) == len(data) > 0 and len(used) >= LOOKS and median(used) <= IDLE and max(used) >= BUSY:
        note = f"GPUs at {median(used):.0f} % and now and then at {max(used):.0f} %, with the data on a disk that turns"
        yield Finding(turning[0].subject, (turning[0], *looks[:3]), note)
    elif data and not turning:
        yield Finding(Subject(), tuple(data), "the data lie on no disk that turns", present=False)


SYMPTOM = Symptom(
    title="GPUs work in fits beside a spinning disk of data",
    rule=rule,
    leak=0.002,
    because="a loader whose CPUs are too few looks the same, and so do short steps with long pauses between them",
    tells_apart=("mount",),
    command="lsblk -o NAME,ROTA,SIZE,MOUNTPOINT; iostat -x 5 3; nvidia-smi dmon -s u -c 20",
    cost_minutes=2,
)
