"""/dev/shm is small: a container's default of 64 MiB up to 1 GiB, by df, its mount or the container's own
configuration.

That it was caught full is another symptom. ABSENT where it is large, 8 GiB and more, and has room, or is the machine's
own; anything between decides nothing, since it looks empty again after a crash, and no size does where a segment was
missed: what is removed needs no want of room.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.job import SettingSeen
from ..evidence.storage import DiskUsage
from ..incident import Incident
from ..text import whole_number
from ._shared_memory import SMALL, missed_segments
from ._symptom import Finding, Symptom

LARGE = 8 << 30
OF_ANOTHER = ("host",)  # the container uses the shared memory of the machine
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def rule(incident: Incident) -> Iterator[Finding]:
    """The sizes that df and the mounts show."""
    missed = bool(missed_segments(incident))
    for row in incident.of(DiskUsage):
        if row.inodes or not (row.subject.mount or "").endswith("/dev/shm") or row.subject.mount != "/dev/shm":
            continue
        if row.size is not None and row.size <= SMALL:
            yield Finding(
                row.subject, (row,), f"/dev/shm has {row.size / 2**20:.0f} MiB, {row.used_percent or 0:.0f} % used"
            )
        elif row.size is not None and row.size >= LARGE and not missed:
            yield Finding(
                Subject(mount="/dev/shm"), (row,), f"/dev/shm has {row.size / 2**30:.0f} GiB and room", present=False
            )
    for mount in incident.volumes.all_mounts:
        sizes = (re.match(r"size=(\d+)([kmg]?)$", option) for option in mount.options)
        size = next((found for found in sizes if found), None)
        if mount.subject.mount == "/dev/shm" and size and int(size[1]) * UNITS[size[2]] <= SMALL:
            yield Finding(mount.subject, (mount,), f"/dev/shm is mounted with {mount.options}")
    settings = {setting.name: setting for setting in incident.of(SettingSeen)}
    own, shared = settings.get("ShmSize"), settings.get("IpcMode")
    bytes_of_it = whole_number(own.value) if own else None
    if own and bytes_of_it is not None and bytes_of_it <= SMALL and not (shared and shared.value in OF_ANOTHER):
        facts = (own, shared) if shared else (own,)
        yield Finding(Subject(), facts, f"the container's /dev/shm has {bytes_of_it / 2**20:.0f} MiB")
    elif shared and shared.value in OF_ANOTHER and not missed:
        yield Finding(Subject(), (shared,), "the container uses the machine's /dev/shm", present=False)


SYMPTOM = Symptom(
    title="/dev/shm is small",
    rule=rule,
    leak=0.04,
    because="many containers keep the default and never need more",
    command="df -h /dev/shm; grep ' /dev/shm ' /proc/mounts",
)
