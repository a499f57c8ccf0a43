"""/dev/shm is small (a container's default of 64 MiB up to 1 GiB) or was caught full.

ABSENT where it is large, 8 GiB and more, and has room; anything between decides nothing, since it looks empty again
after a crash.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.storage import DiskUsage
from ..incident import Incident
from . import Finding, Symptom
from .disk_usage_full import is_full

SMALL = 1 << 30
LARGE = 8 << 30
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def rule(incident: Incident) -> Iterator[Finding]:
    """The sizes that df and the mounts show."""
    for row in incident.of(DiskUsage):
        if row.inodes or not (row.subject.mount or "").endswith("/dev/shm") or row.subject.mount != "/dev/shm":
            continue
        if row.size is not None and (row.size <= SMALL or is_full(row)):
            yield Finding(
                row.subject, (row,), f"/dev/shm has {row.size / 2**20:.0f} MiB, {row.used_percent or 0:.0f} % used"
            )
        elif row.size is not None and row.size >= LARGE:
            yield Finding(
                Subject(mount="/dev/shm"), (row,), f"/dev/shm has {row.size / 2**30:.0f} GiB and room", present=False
            )
    mount = next((m for m in incident.links.mounts if m.subject.mount == "/dev/shm"), None)
    size = next(
        (found for option in (mount.options if mount else ()) if (found := re.match(r"size=(\d+)([kmg]?)$", option))),
        None,
    )
    if mount and size and int(size[1]) * UNITS[size[2]] <= SMALL:
        yield Finding(mount.subject, (mount,), f"/dev/shm is mounted with {mount.options}")


SYMPTOM = Symptom(
    title="/dev/shm is small or full",
    rule=rule,
    leak=0.04,
    because="many containers keep the default and never need more",
    command="df -h /dev/shm; grep ' /dev/shm ' /proc/mounts",
)
