"""ZFS suspended a pool: so many of its disks stopped answering that neither a read nor a write can be done.

By the kernel's log, or by what zpool and zfs answer of the pool. Which disk it was, and whether it, its cable or its
controller failed, or the pool's own code, it does not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import FilesystemError
from ..incident import Incident
from ._disks import disk_reports
from ._symptom import Finding, Symptom

SUSPENDED = re.compile(r"has been suspended|suspending pool|I/O is currently suspended")


def rule(incident: Incident) -> Iterator[Finding]:
    for error in disk_reports(incident, FilesystemError):
        if error.filesystem == "zfs" and SUSPENDED.search(error.text):
            yield Finding(Subject(host=error.subject.host), (error,), error.text[:160])


SYMPTOM = Symptom(
    title="a pool of disks was suspended",
    rule=rule,
    leak=0.0003,
    because="a pool whose disks answer is never suspended, but a fault of its code words itself so too",
    command="zpool status -v; dmesg -T | grep -i -E 'suspended|I/O error|reset'",
)
