"""`zpool status`: the pools of ZFS and the disks below them.

      pool: tank
     state: SUSPENDED
        sda     FAULTED      4   921     0  too many errors
    errors: 1321 data errors, use '-v' for a list

A pool that is ONLINE with zeroes in all columns is skipped. A disk that is gone or faulted is the disk's trouble; data
errors without one are damage, and so is a pool whose status says that its metadata is corrupted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Subject
from ..evidence.kernel import BlockDeviceTrouble, FilesystemError
from ..text import Text
from . import Parser
from ._snapshot import source

POOL = re.compile(r"^\s{0,3}pool: ([\w.:-]{1,120})\s*$")
STATE = re.compile(r"^\s{0,3}state: (SUSPENDED|UNAVAIL|FAULTED)\b")
#   sda     FAULTED      4   921     0  too many errors
DISK = re.compile(
    r"^\s{2,12}([\w./:-]{2,120})\s{1,40}(FAULTED|UNAVAIL|REMOVED|DEGRADED|ONLINE)\s{1,12}(\d{1,9}[KMG]?)\s{1,8}"
    r"(\d{1,9}[KMG]?)\s{1,8}(\d{1,9}[KMG]?)(?:\s{1,6}(\S.{0,80}))?\s*$"
)
ERRORS = re.compile(r"^errors: (?:\d{1,9} data errors|Permanent errors have been detected)")
# status: The pool metadata is corrupted.        (below the state)
DAMAGED = re.compile(r"^\s{0,3}status: .{0,80}\bmetadata is corrupted")
GROUP = re.compile(r"^(?:mirror|raidz\d|draid|spare|replacing|log|cache)")


def read(text: Text) -> Iterator[Evidence]:
    pool = None
    state: BlockDeviceTrouble | None = None
    for line in text.lines():
        row = line.text[:400]
        said = " ".join(row.split())
        damaged = DAMAGED.match(row) is not None
        if state and not damaged:
            yield state
        state = None
        if found := POOL.match(row):
            pool = found[1]
        elif STATE.match(row):
            state = BlockDeviceTrouble(
                source=source(text, line), severity=Severity.FATAL, about="gone", text=f"pool {pool} {said}"
            )
        elif (found := DISK.match(row)) and found[1] != pool and not GROUP.match(found[1]):
            bad = found[2] in ("FAULTED", "UNAVAIL", "REMOVED") or found[3] != "0" or found[4] != "0"
            if bad:
                yield BlockDeviceTrouble(
                    source=source(text, line),
                    subject=Subject(device=found[1]),
                    severity=Severity.CRITICAL,
                    about="gone" if found[2] != "ONLINE" else "other",
                    text=said,
                )
        elif damaged or ERRORS.match(row):
            yield FilesystemError(
                source=source(text, line),
                subject=Subject(device=pool),
                severity=Severity.CRITICAL,
                filesystem="zfs",
                about="corruption",
                text=said,
            )
    if state:
        yield state


PARSER = Parser(
    tool="zpool status",
    medium="listing",
    footprint=r"^\s{0,3}pool: [\w.:-]{1,120}\s*$|^\s{0,3}state: (SUSPENDED|UNAVAIL|FAULTED)",
    read=read,
)
