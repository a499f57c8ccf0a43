"""smartd, which watches the disks' own records, in the system log.

    Mar  4 07:31:02 n07 smartd[811]: Device: /dev/sda [SAT], 24 Currently unreadable (pending) sectors
    Mar  4 07:31:02 n07 smartd[811]: Device: /dev/nvme0, Critical Warning (0x04): Reliability
    Mar  4 07:31:02 n07 smartd[811]: Device: /dev/sdb [SAT], FAILED SMART self-check. BACK UP DATA NOW!

Attributes that merely changed, temperatures, numbers of log entries and less than ten sectors are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity
from ..evidence.kernel import BlockDeviceTrouble
from ..text import Text
from . import Parser
from ._job_lines import messages

SAID = re.compile(
    r"^Device: /dev/([\w-]{2,32})(?: \[[\w ]{1,20}\])?, (?:\d{2,9} (?:Currently unreadable \(pending\)|Offline uncorrectable|Total unreadable) sectors"
    r"|FAILED SMART self-check|Failed SMART usage Attribute|SMART Failure|Critical Warning \(0x[0-9a-f]{1,2}\): .{0,40}(?:[Rr]eliab|[Ss]pare|[Rr]ead[- ]only|[Bb]ackup)"
    r"|Read SMART .{1,30} failed|unable to open device)"
)


def read(text: Text) -> Iterator[BlockDeviceTrouble]:
    for message in messages(text, PARSER.pattern):
        if found := SAID.match(message.text):
            gone = "unable to open" in message.text
            yield BlockDeviceTrouble(
                **message.facts(text, device=found[1]),
                severity=Severity.CRITICAL,
                about="gone" if gone else "media-error",
                text=message.text[:500],
            )


PARSER = Parser(
    tool="smartd",
    medium="system-log",
    footprint=r"\bDevice: /dev/[\w-]{2,32}( \[[\w ]{1,20}\])?, (\d{2,9} (Currently|Offline|Total) un|FAILED|Failed|SMART Failure|Critical Warning|Read SMART|unable)",
    read=read,
)
