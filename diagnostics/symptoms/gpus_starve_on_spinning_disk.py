"""The job works in fits, or its steps take seconds while its readers are in D together, or its GPUs idle however many
read, and what is mounted for data is a spinning disk.

By lsblk's ROTA of a mount below none of the system's folders. In fits: three looks or more at one GPU's use, the middle
one is a tenth at most, the highest two thirds or more. Readers in D: several processes of one program, and three steps
or more of two seconds or more each, of a run that nothing ended; no network volume is mounted that they might wait for.
Nor is one where GPUs idle and more workers do not help.
The disks, GPUs, readers and steps are those of one machine. ABSENT where a disk of data is mounted by itself and does
not turn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from statistics import median

from ..evidence import Evidence, Subject
from ..evidence.gpu import GpuStatus
from ..evidence.storage import BlockDeviceSeen
from ..evidence.training import TrainingSteps
from ..incident import Incident
from ._places import network_mounts
from ._registry import findings_of
from ._reports import by_device
from ._runs import column
from ._symptom import Finding, Symptom

SYSTEM = ("/boot", "/efi", "/var", "/usr", "/snap")
LOOKS, IDLE, BUSY = 3, 10.0, 66.0
STEPS, SLOW_STEP_S = 3, 2.0


def rule(incident: Incident) -> Iterator[Finding]:
    machines: dict[str, list[BlockDeviceSeen]] = defaultdict(list)
    for disk in incident.of(BlockDeviceSeen):
        if disk.rotational is not None and disk.subject.mount and not disk.subject.mount.startswith(SYSTEM):
            machines[incident.links.machine_of(disk)].append(disk)
    for disks in machines.values():
        data = [disk for disk in disks if disk.subject.mount != "/"] or disks
        turning = [disk for disk in data if disk.rotational]
        if len(turning) == len(data):
            yield from _starved_by(incident, turning[0])
        elif not turning and all(disk.subject.mount != "/" for disk in data):
            yield Finding(Subject(), tuple(data), "the data lie on no disk that turns", present=False)


def _starved_by(incident: Incident, disk: BlockDeviceSeen) -> Iterator[Finding]:
    """The first sign that the work of a disk's machine waits for it."""
    here = partial(incident.links.may_be_beside, disk)
    for looks in by_device(incident, filter(here, incident.of(GpuStatus))):
        seen = [status for status in looks if status.utilisation_percent is not None]
        used = [status.utilisation_percent or 0.0 for status in seen]
        if len(used) >= LOOKS and median(used) <= IDLE and max(used) >= BUSY:
            note = f"a GPU at {median(used):.0f} % and now and then at {max(used):.0f} %, the data on a disk that turns"
            yield Finding(disk.subject, (disk, *seen[:3]), note)
            return
    if network_mounts(incident, disk):
        return
    in_sleep = [
        reader
        for finding in findings_of(incident, "job-in-disk-sleep")
        for reader in finding.evidence
        if isinstance(reader, Evidence) and here(reader)
    ]
    for steps in filter(here, _slow_steps(incident) if in_sleep else ()):
        note = "readers in D and steps of seconds, the data on a disk that turns"
        yield Finding(disk.subject, (disk, *in_sleep[:2], steps), note)
        return
    for finding in findings_of(incident, "more-workers-do-not-help"):
        note = "GPUs idle with few readers and with many, the data on a disk that turns"
        yield Finding(disk.subject, (disk, *finding.evidence[:3]), note)
        return


def _slow_steps(incident: Incident) -> Iterator[TrainingSteps]:
    """The steps of runs that go on, where each of them takes long."""
    for run in incident.runs:
        lasted = column(run.steps, "step_s")
        over = run.ended or run.failed or run.finished
        if run.is_last and not over and len(lasted) >= STEPS and min(lasted) >= SLOW_STEP_S:
            yield run.steps


SYMPTOM = Symptom(
    title="a job waits in fits for a spinning disk of data",
    rule=rule,
    leak=0.002,
    because="a loader whose CPUs are too few looks the same, and so do short steps with long pauses between them",
    tells_apart=("mount",),
    command="lsblk -o NAME,ROTA,SIZE,MOUNTPOINT; iostat -x 5 3; nvidia-smi dmon -s u -c 20",
    cost_minutes=2,
)
