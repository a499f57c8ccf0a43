"""A local filesystem reports damaged metadata: ext4, xfs or btrfs errors, the findings of a check (fsck), a superblock
that records errors, or a program or an orchestrator that was told "Structure needs cleaning" (EUCLEAN).

An error of the device below (an I/O error as the filesystem's text) is that device's; that it stopped itself is another
symptom.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Subject
from ..evidence.kernel import FilesystemError
from ..incident import Incident
from ._disks import disk_reports
from ._errors import matching
from ._places import disk, is_remote_disk, place_of_error
from ._symptom import Finding, Symptom

DAMAGED = re.compile(
    r"Structure needs cleaning|EUCLEAN|\[Errno 117\]|UNEXPECTED INCONSISTENCY|metadata corruption"
    # 'fsck' found errors on device /dev/sdc but could not correct them     (the kubelet)
    r"|'(?:fsck|xfs_repair)' found errors on device \S{1,300} but could not correct them"
    # of the superblock: filesystem state: not clean with errors      (tune2fs)
    r"|filesystem state: (?:not clean|clean) with errors"
    # what an inode was found to be, which no failed read explains
    r"|deleted inode referenced",
    re.I,
)


def rule(incident: Incident) -> Iterator[Finding]:
    """Each report of damage."""
    for fact in disk_reports(incident, FilesystemError):
        if is_remote_disk(incident, fact.subject.device, fact) and not DAMAGED.search(fact.text):
            continue  # the errors there are those of the server below, but what a check finds is damage
        if fact.about == "corruption":
            yield Finding(
                Subject(device=disk(fact.subject.device), host=fact.subject.host),
                (fact,),
                fact.text[:160] or fact.about,
            )
    for said in matching(incident, DAMAGED, "EUCLEAN", orchestrator=True):
        subject = place_of_error(incident, said.fact, said.path)
        yield Finding(Subject(path=subject.path, device=subject.device), (said.fact,), said.text.splitlines()[0][:160])


SYMPTOM = Symptom(
    title="a filesystem reports damaged metadata",
    rule=rule,
    leak=0.0003,
    because="an undamaged filesystem never says so",
    command="dmesg -T | grep -i -E 'EXT4-fs|XFS|BTRFS|JBD2'; findmnt MOUNT",
)
