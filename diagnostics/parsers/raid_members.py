"""Disks that an array has dropped: /proc/mdstat, mdadm --detail, storcli and perccli, MegaCli, ssacli, and the mails
and messages of those that watch them (mdadm --monitor, ZFS's zed, iDRAC).

    md0 : active raid5 sdd1[3] sdc1[2](F) sdb1[1] sda1[0]
           1       8       17        -      faulty   /dev/sdb1
    252:1     9 Failed 0 3.637 TB SATA HDD N   N  512B ST4000NM0035-1V4107 U  -
    Firmware state: Failed
          physicaldrive 1I:1:4 (port 1I:box 1:bay 4, SATA HDD, 4 TB, Failed)
    mdadm[1042]: Fail event detected on md device /dev/md3, component device /dev/sdf1
    It could be related to component device /dev/sdf1.
    exceeded acceptable levels. ZFS has marked the device as faulted.
    Predictive failure reported for Physical Disk 0:1:7 in Backplane 1 of RAID Controller in Slot 3.

Members that are in use, spares and unused disks are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.kernel import BlockDeviceTrouble
from ..text import Text
from . import Parser
from ._snapshot import source

ARRAY = re.compile(r"^md\w{1,12} : (?:active|inactive)\b")
DROPPED = re.compile(r"\b([a-z]{2,4}\w{1,20}?)\[\d{1,3}\]\(F\)")
FAULTY = re.compile(
    r"^ {0,10}(?:\d{1,5} {1,10}){3}(?:\d{1,5}|-) {1,10}faulty {1,10}(?:\w{1,20} {1,10})?/dev/(\S{1,40})\s*$"
)
ROWS = (
    re.compile(r"^\d{0,4}:\d{1,3} +\d{1,4} +(?:Failed|Offln|UBad|Missing) +\S{1,4} +[\d.]{1,8} [KMGTP]B "),
    re.compile(r"^Firmware state: (?:Failed|Offline|Unconfigured\(bad\))"),
    re.compile(r"^\s{0,12}physicaldrive \S{1,20} \(.{1,120}, (?:Failed|Predictive Failure)\)\s*$"),
)
WATCHED = re.compile(
    r"\bFail(?:Spare)? event (?:detected )?on md device /dev/[\w/]{2,40}, component device /dev/(?P<of_log>\w{2,32})"
    r"|^It could be related to component device /dev/(?P<of_mail>\w{2,32})"
    r"|\bZFS has marked the device as faulted|\b[Pp]redictive failure reported for [Pp]hysical [Dd]isk \d"
    r"|\bFault detected on drive \d{1,3} in disk drive bay"
    r"|\b[Pp]hysical [Dd]isk \d{1,3}(?::\d{1,3}){1,2}.{0,80} (?:has )?failed\.?$"
)


def read(text: Text) -> Iterator[BlockDeviceTrouble]:
    for line in text.matching(PARSER.pattern):
        row = line.text[:500]
        gone = DROPPED.findall(row) if ARRAY.match(row) else []
        if found := FAULTY.match(row):
            gone = [found[1]]
        elif found := WATCHED.search(row):
            gone = [found["of_log"] or found["of_mail"]]
        for device in gone or ([None] if any(pattern.match(row) for pattern in ROWS) else []):
            yield BlockDeviceTrouble(
                source=source(text, line),
                subject=Subject(device=device),
                severity=Severity.CRITICAL,
                about="gone",
                text=" ".join(row.split()),
            )


PARSER = Parser(
    tool="mdstat, mdadm, storcli, MegaCli, ssacli",
    medium="io-statistics",
    footprint=(
        r"^md\w{1,12} : (active|inactive)\b.{0,400}\(F\)"
        r"|^ {0,10}(\d{1,5} {1,10}){3}(\d{1,5}|-) {1,10}faulty {1,10}.{0,30}/dev/"
        r"|^\d{0,4}:\d{1,3} +\d{1,4} +(Failed|Offln|UBad|Missing) +\S{1,4} +[\d.]{1,8} [KMGTP]B "
        r"|^Firmware state: (Failed|Offline|Unconfigured\(bad\))"
        r"|^\s{0,12}physicaldrive \S{1,20} \(.{1,120}, (Failed|Predictive Failure)\)"
        r"|\bFail(Spare)? event (detected )?on md device /dev/|^It could be related to component device /dev/"
        r"|ZFS has marked the device as faulted"
        r"|[Pp]redictive failure reported for [Pp]hysical [Dd]isk|Fault detected on drive \d{1,3} in disk drive bay"
        r"|[Pp]hysical [Dd]isk \d{1,3}:\d.{0,80} failed\.?$"
    ),
    read=read,
)
