"""smartd, which watches the disks' own records, in the system log and in the mails that it sends.

    Mar  4 07:31:02 n07 smartd[811]: Device: /dev/sda [SAT], 24 Currently unreadable (pending) sectors
    Mar  4 07:31:02 n07 smartd[811]: Device: /dev/nvme0, Critical Warning (0x04): Reliability
    Mar  4 07:31:02 n07 smartd[811]: Device: /dev/sdb [SAT], FAILED SMART self-check. BACK UP DATA NOW!
    Device: /dev/bus/0 [megaraid_disk_03] [SAT], ATA error count increased from 2 to 9
    Device: /dev/sdc [SAT], Self-Test Log error count increased from 0 to 1
    Device: /dev/sdc [SAT], SMART Prefailure Attribute: 5 Reallocated_Sector_Ct changed from 100 [Raw 0] to 97 [Raw 312]

Attributes that merely changed, temperatures, entries of an NVMe disk's log (a command that it does not know is one),
less than ten sectors and one or two errors at a time are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.kernel import BlockDeviceTrouble
from ..text import Text
from . import Parser
from ._job_lines import messages

_DEVICE = r"^Device: /dev/(?:(?P<device>[\w-]{2,32})|bus/\d{1,3})(?: \[[\w #/]{1,40}\]){0,2}, "
SAID = re.compile(
    _DEVICE + r"(?:\d{2,9} (?:Currently unreadable \(pending\)|Offline uncorrectable|Total unreadable) sectors"
    "|FAILED SMART self-check|Failed SMART usage Attribute|SMART Failure"
    r"|Critical Warning \(0x[0-9a-f]{1,2}\): .{0,40}(?:[Rr]eliab|[Ss]pare|[Rr]ead[- ]only|[Bb]ackup)"
    r"|Self-Test Log error count increased|Read SMART .{1,30} failed|unable to open device)"
)
# ATA error count increased from 2 to 9
# SMART Prefailure Attribute: 5 Reallocated_Sector_Ct changed from 100 [Raw 0] to 97 [Raw 312]
GREW = re.compile(
    _DEVICE + r"(?:ATA error count increased from (?P<errors>\d{1,9}) to (?P<more_errors>\d{1,9})"
    r"|SMART \w{5,10} Attribute: (?:5|187|197|198) .{3,40} changed from"
    r" \d{1,3} \[Raw (?P<sectors>\d{1,9})\] to \d{1,3} \[Raw (?P<more_sectors>\d{1,9})\])"
)
FEW_ERRORS, FEW_SECTORS = 3, 10  # at once; below this a command that the disk does not know, or a scratch


def read(text: Text) -> Iterator[BlockDeviceTrouble]:
    for message in messages(text, PARSER.pattern):
        found = SAID.match(message.text) or _grew(message.text)
        if found:
            gone = "unable to open" in message.text
            yield BlockDeviceTrouble(
                **message.facts(text, device=found["device"]),
                severity=Severity.CRITICAL,
                about="gone" if gone else "media-error",
                text=message.text[:500],
            )


def _grew(said: str) -> re.Match[str] | None:
    """A count that grew by more than a few since smartd looked last."""
    found = GREW.match(said)
    if found is None:
        return None
    errors, sectors = (int(found[f"more_{what}"] or 0) - int(found[what] or 0) for what in ("errors", "sectors"))
    return found if errors >= FEW_ERRORS or sectors >= FEW_SECTORS else None


PARSER = Parser(
    tool="smartd",
    medium="system-log",
    footprint=(
        r"\bDevice: /dev/[\w/-]{2,32}( \[[\w #/]{1,40}\]){0,2}, "
        r"(\d{2,9} (Currently|Offline|Total) un|FAILED|Failed|SMART Failure|Critical Warning|Read SMART|unable"
        r"|ATA error count|Self-Test Log error|SMART \w{5,10} Attribute: (5|187|197|198) )"
    ),
    read=read,
)
