"""`zpool status`: the pools of ZFS and the disks below them.

      pool: tank
     state: SUSPENDED
        sda     FAULTED      4   921     0  too many errors
    errors: 1321 data errors, use '-v' for a list

    cannot open 'tank': pool I/O is currently suspended

The last is what zpool and zfs answer of such a pool. A pool without data errors is sound where its disks are all there
and count none. A disk that is gone or faulted is the disk's trouble; data errors without one are damage, and so is a
pool whose status says that its metadata is corrupted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Subject
from ..evidence.kernel import BlockDeviceTrouble, FilesystemError, PoolOnline
from ..text import Line, Text
from . import Parser
from ._snapshot import source

POOL = re.compile(r"^\s{0,3}pool: ([\w.:-]{1,120})\s*$")
STATE = re.compile(r"^\s{0,3}state: (SUSPENDED|UNAVAIL|FAULTED)\b")
SOUND = re.compile(r"^(?:\s{0,3}state: ONLINE\s.{0,200})?errors: No known data errors\b")
#   sda     FAULTED      4   921     0  too many errors
DISK = re.compile(
    r"^\s{2,12}([\w./:-]{2,120})\s{1,40}(FAULTED|UNAVAIL|REMOVED|DEGRADED|ONLINE)\s{1,12}(\d{1,9}[KMG]?)\s{1,8}"
    r"(\d{1,9}[KMG]?)\s{1,8}(\d{1,9}[KMG]?)(?:\s{1,6}(\S.{0,80}))?\s*$"
)
ERRORS = re.compile(r"^errors: (?:\d{1,9} data errors|Permanent errors have been detected)")
# status: The pool metadata is corrupted.        (below the state)
DAMAGED = re.compile(r"^\s{0,3}status: .{0,80}\bmetadata is corrupted")
SUSPENDED = re.compile(r"\bpool I/O is currently suspended\b")
GROUP = re.compile(r"^(?:mirror|raidz\d|draid|spare|replacing|log|cache)")


def read(text: Text) -> Iterator[Evidence]:
    pool = None
    state: BlockDeviceTrouble | None = None
    troubled = False  # by a disk, or by the state that the report begins with
    for line in text.lines():
        row = line.text[:400]
        said = " ".join(row.split())
        damaged = DAMAGED.match(row) is not None
        if state and not damaged:
            yield state
        state = None
        if found := POOL.match(row):
            pool, troubled = found[1], False
        elif SOUND.match(row):
            if not troubled:
                yield PoolOnline(source=source(text, line), subject=Subject(device=pool))
        elif SUSPENDED.search(row):
            troubled = True
            yield _error(text, line, pool, "io-error", said)
        elif STATE.match(row):
            troubled = True
            state = BlockDeviceTrouble(
                source=source(text, line), severity=Severity.FATAL, about="gone", text=f"pool {pool} {said}"
            )
        elif (found := DISK.match(row)) and found[1] != pool and not GROUP.match(found[1]):
            bad = found[2] in ("FAULTED", "UNAVAIL", "REMOVED") or found[3] != "0" or found[4] != "0"
            if bad:
                troubled = True
                yield BlockDeviceTrouble(
                    source=source(text, line),
                    subject=Subject(device=found[1]),
                    severity=Severity.CRITICAL,
                    about="gone" if found[2] != "ONLINE" else "other",
                    text=said,
                )
        elif damaged or ERRORS.match(row):
            yield _error(text, line, pool, "corruption", said)
    if state:
        yield state


def _error(text: Text, line: Line, pool: str | None, about: str, said: str) -> FilesystemError:
    return FilesystemError(
        source=source(text, line),
        subject=Subject(device=pool),
        severity=Severity.CRITICAL,
        filesystem="zfs",
        about=about,
        text=said,
    )


PARSER = Parser(
    tool="zpool status",
    medium="listing",
    footprint=r"^\s{0,3}pool: [\w.:-]{1,120}\s*$|^\s{0,3}state: (SUSPENDED|UNAVAIL|FAULTED)"
    r"|\bpool I/O is currently suspended\b|^errors: Permanent errors have been detected"
    r"|^(\s{0,3}state: ONLINE\s.{0,200})?errors: No known data errors",
    read=read,
)
