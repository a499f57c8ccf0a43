"""A local filesystem stopped itself: an aborted journal, a shutdown, or an error of its own that names no damage.

It does so when what it needs to write cannot be written (the disk below refuses) as well as when its records are bad,
so by itself it does not tell which.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import FilesystemError
from ..incident import Incident
from ._disks import disk_reports
from ._places import disk, is_remote_disk
from ._symptom import Finding, Symptom


def rule(incident: Incident) -> Iterator[Finding]:
    """Each report that it stopped."""
    for fact in disk_reports(incident, FilesystemError):
        remote = is_remote_disk(incident, fact.subject.device, fact)
        if not remote and fact.about in ("shutdown", "journal-abort", "other"):
            yield Finding(
                Subject(device=disk(fact.subject.device), host=fact.subject.host),
                (fact,),
                fact.text[:160] or fact.about,
            )


SYMPTOM = Symptom(
    title="a filesystem stopped itself",
    rule=rule,
    leak=0.0006,
    because="a sound filesystem on a sound disk goes on",
    command="dmesg -T | grep -i -E 'EXT4-fs|XFS|BTRFS|JBD2'; findmnt MOUNT",
)
