"""Requests to a disk timed out, and that is all that is said of it, in a kernel log that reports stuck processors too.

A processor that does not leave the kernel serves no interrupt, so what a disk has answered waits for it. A disk that
was reset, vanished or returned errors beside it is another symptom, and so is one on which the stuck processor waits.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence import Subject
from ..incident import Incident
from ._kernel import late_beside_lockup
from ._places import disk
from ._symptom import Finding, Symptom


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
