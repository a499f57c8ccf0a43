"""Requests to a disk timed out, and that is all that is said of it, in a kernel log that reports stuck processors too.

A processor that does not leave the kernel serves no interrupt, so what a disk has answered waits for it. A disk that
was reset, vanished or returned errors beside it is another symptom, and so is one on which the stuck processor waits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.kernel import BlockDeviceTrouble, BlockIoError, HardLockup, RcuStall, SoftLockup
from ..incident import Incident
from ._places import disk
from ._symptom import Finding, Symptom

IN_THE_DISKS_DRIVER = re.compile(r"^_{0,2}(?:nvme|blk|bio|scsi|sd|ata|ahci|mpt3sas|megasas|virtblk|dm|md)_")


def late_beside_lockup(incident: Incident) -> list[BlockDeviceTrouble]:
    """The timeouts that stuck processors would explain, or none."""
    troubles = [each for each in incident.of(BlockDeviceTrouble) if each.severity is not Severity.INFO]
    stuck: list[SoftLockup | HardLockup | RcuStall] = [
        *incident.of(SoftLockup),
        *incident.of(HardLockup),
        *incident.of(RcuStall),
    ]
    errors = any(each.severity is not Severity.INFO for each in incident.of(BlockIoError))
    on_the_disk = any(
        IN_THE_DISKS_DRIVER.match(frame) for each in stuck for frame in (each.function or "", *each.frames)
    )
    if len(stuck) < 2 or errors or on_the_disk or any(each.about != "timeout" for each in troubles):
        return []
    return troubles


def rule(incident: Incident) -> Iterator[Finding]:
    for fact in late_beside_lockup(incident):
        where = Subject(device=disk(fact.subject.device or ""), host=fact.subject.host)
        yield Finding(where, (fact,), fact.text[:140])


SYMPTOM = Symptom(
    title="a disk is late while processors are stuck",
    rule=rule,
    leak=0.0005,
    because="disks that work are not late, unless nobody takes what they answer",
    command="dmesg -T | grep -iE 'lockup|rcu.*stall|nvme|ata[0-9]'; smartctl -a /dev/DEVICE",
    cost_minutes=2,
)
