"""The GPUs work in fits, with nothing to do most of the time, and what is mounted for data is a spinning disk.

By lsblk's ROTA of a mount below none of the system's folders, and three looks or more at one GPU's use: the middle
one is a tenth at most, the highest two thirds or more. ABSENT where a disk of data is mounted by itself and does not
turn.
"""

from __future__ import annotations

from collections import defaultdict
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
    looks: dict[int | None, list[GpuStatus]] = defaultdict(list)
    for status in incident.of(GpuStatus):
        if status.utilisation_percent is not None:
            looks[status.subject.gpu].append(status)
    for seen in looks.values() if len(turning) == len(data) > 0 else ():
        used = [status.utilisation_percent or 0.0 for status in seen]
        if len(used) >= LOOKS and median(used) <= IDLE and max(used) >= BUSY:
            note = f"a GPU at {median(used):.0f} % and now and then at {max(used):.0f} %, the data on a disk that turns"
            yield Finding(turning[0].subject, (turning[0], *seen[:3]), note)
            return
    if data and not turning and all(disk.subject.mount != "/" for disk in data):
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
