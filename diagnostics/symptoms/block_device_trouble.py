"""A local block device timed out, was reset, vanished or returned errors, by the kernel's log.

Disks whose blocks lie behind a server (rbd, nbd, drbd, iSCSI) do not count: their errors are the network's. Nor do
messages that a driver prints at every start, nor one reset of a SATA link, nor a request or two whose interrupt was
lost, nor disks that were only late while
processors were stuck: that is a symptom of its own. A mapped volume whose pool has no space left fails for that alone,
and so does a file that serves as a disk (a loop device, a virtual machine's) where a volume of the host is full.
A filesystem that was told by its disk that a write failed counts; that a pool was suspended is another symptom.
ABSENT where the kernel log was read and has no such line, where a pool reports that all its disks are there, and where
iostat shows every disk idle: a disk that does not answer has requests in line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..evidence import Severity, Subject
from ..evidence.kernel import BlockDeviceTrouble, BlockIoError, FilesystemError, PoolOnline
from ..evidence.storage import IoStatistics
from ..incident import Incident
from ..machines import by_machine
from ._disks import disk_reports
from ._kernel import late_beside_lockup
from ._places import disk, is_remote_disk, lost_sessions
from ._space import POOL, files_without_room
from ._symptom import Finding, Symptom

# each costs half a minute, in which the answer lies there
COMPLETION_POLLED = re.compile(r"\btimeout, completion polled\b")
AGAIN_AND_AGAIN = 3
# what one reset of a SATA link prints; a cable that was touched does it too
ONE_RESET = re.compile(r"\bata\d+(?:\.\d+)?: (?:COMRESET failed|hard resetting link|link is slow to respond|SError)")
ATTEMPTS = (re.compile(r"COMRESET failed"), re.compile(r"hard resetting link"), re.compile(r"link is slow"))
REMOVABLE = ("fd", "sr")
MAPPED = "dm-"
# EXT4-fs warning (device sda1): ext4_end_bio:309: I/O error 10 writing to inode 17     (3 and -28: no space)
WRITE_FAILED = re.compile(r"\bext4_end_bio:\d{1,6}: I/O error (?!(?:3|-28)\b)-?\d")
SCSI = re.compile(r"\bsd \d{1,4}:\d{1,4}:\d{1,4}:\d{1,4}: ")


def rule(incident: Incident) -> Iterator[Finding]:
    """Each report of a local device."""
    found = False
    sessions = lost_sessions(incident)
    late = late_beside_lockup(incident)
    pool_full = any(each.filesystem == POOL for each in disk_reports(incident, FilesystemError))
    without_room = files_without_room(incident)
    files = {fact.subject.device for fact in without_room}
    polled = [each for each in disk_reports(incident, BlockDeviceTrouble) if COMPLETION_POLLED.search(each.text)]
    polled = polled if len(polled) >= AGAIN_AND_AGAIN else []
    facts: list[BlockDeviceTrouble | BlockIoError] = [
        *disk_reports(incident, BlockDeviceTrouble),
        *disk_reports(incident, BlockIoError),
    ]
    for error in disk_reports(incident, FilesystemError):
        name = (error.subject.device or "").rpartition("/")[2]
        full = error.subject.device in files or (pool_full and name.startswith(MAPPED))
        elsewhere = full or is_remote_disk(incident, name, error)
        if WRITE_FAILED.search(error.text) and not elsewhere:
            found = True
            yield Finding(Subject(device=disk(name), host=error.subject.host), (error,), error.text[:140])
    again = [fact for of_one in by_machine(facts) if not _reset_once(of_one) for fact in of_one]
    once = bool(facts) and not again
    for fact in again:
        if fact in late or (fact.severity is Severity.INFO and fact not in polled):
            continue
        name = (fact.subject.device or "").rpartition("/")[2]
        if (pool_full and name.startswith(MAPPED)) or fact in without_room:
            continue
        if name.startswith(REMOVABLE) or is_remote_disk(incident, name, fact) or fact in sessions:
            continue
        if sessions and isinstance(fact, BlockDeviceTrouble) and SCSI.search(fact.text[:120]):
            continue  # sd 6:0:0:1: rejecting I/O to offline device
        found = True
        what = fact.text[:140] if isinstance(fact, BlockDeviceTrouble) else f"an I/O error of {name or 'a disk'}"
        yield Finding(Subject(device=disk(name), host=fact.subject.host), (fact,), what)
    logs = incident.reads("kernel-log")
    if logs and not found and not late and not once:
        yield Finding(Subject(), tuple(logs), "the kernel reports no trouble of a disk", present=False)
    pools = incident.of(PoolOnline)
    if pools and not found:
        yield Finding(Subject(), tuple(pools), "the pool's disks are there and have no errors", present=False)
    measured = [row for row in incident.of(IoStatistics) if {"busy_percent", "queue_length"} <= row.values.keys()]
    busy = any(row.values["busy_percent"] or row.values["queue_length"] for row in measured)
    if measured and not busy and not found:
        yield Finding(Subject(), tuple(measured), "the disks are idle and no request is in line", present=False)


def _reset_once(facts: Sequence[BlockDeviceTrouble | BlockIoError]) -> bool:
    """True where all that is reported is that one link was reset once."""
    words = [fact.text if isinstance(fact, BlockDeviceTrouble) else "" for fact in facts]
    links = {fact.subject.device for fact in facts}
    again = any(sum(kind.search(each) is not None for each in words) > 1 for kind in ATTEMPTS)
    return len(links) == 1 and not again and all(ONE_RESET.search(each) for each in words)


SYMPTOM = Symptom(
    title="a disk times out, resets or returns errors",
    rule=rule,
    leak=0.001,
    because="disks that work say nothing",
    command="dmesg -T | grep -i -E 'nvme|ata[0-9]|I/O error|medium'; smartctl -a /dev/DEVICE",
    cost_minutes=2,
)
