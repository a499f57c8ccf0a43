"""Disks that an array has dropped: /proc/mdstat, mdadm --detail, storcli and perccli, MegaCli, ssacli, omreport, cli64
(Areca), and the mails and messages of those that watch them (mdadm --monitor, cciss_vol_status, ZFS's zed, iDRAC).

    md0 : active raid5 sdd1[3] sdc1[2](F) sdb1[1] sda1[0]
           1       8       17        -      faulty   /dev/sdb1
    252:1     9 Failed 0 3.637 TB SATA HDD N   N  512B ST4000NM0035-1V4107 U  -
    Firmware state: Failed
          physicaldrive 1I:1:4 (port 1I:box 1:bay 4, SATA HDD, 4 TB, Failed)
    mdadm[1042]: Fail event detected on md device /dev/md3, component device /dev/sdf1
    It could be related to component device /dev/sdf1.
    exceeded acceptable levels. ZFS has marked the device as faulted.
    zed[3159122]: eid=120557 class=statechange pool='home3' vdev=sdk vdev_state=FAULTED
             connector 1I box 1 bay 3                                         INQUIRY FAILED
    Device State                       : FAILED
    Name                            : Physical Disk 0:3
    State                           : Failed
    0/0   RAID5 Dgrd  RW     Yes     RWBD  -   ON  10.913 TB data
          976630464 blocks super 1.2 [2/1] [U_]
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
BLOCKS = re.compile(r"^\s{0,12}\d{1,16} blocks .{0,80}\[\d{1,3}/\d{1,3}\] \[U{0,40}_[U_]{0,40}\]")
ROWS = (
    re.compile(r"^\d{0,4}:\d{1,3} +\d{1,4} +(?:Failed|Offln|UBad|Missing) +\S{1,4} +[\d.]{1,8} [KMGTP]B "),
    re.compile(r"^\d{1,4}/\d{1,4} +RAID\d{1,2} +(?:Dgrd|Pdgd|OfLn) "),
    BLOCKS,
    re.compile(r"^\s{0,24}(?:connector|port) \S{1,8} box \S{1,4} bay \d{1,3}\s.{0,120}\s(?:INQUIRY FAILED|FAILED)\s*$"),
    re.compile(r"^Device State\s{1,40}: FAILED\s*$"),
    re.compile(r"^Firmware state: (?:Failed|Offline|Unconfigured\(bad\))"),
    re.compile(r"^\s{0,12}physicaldrive \S{1,20} \(.{1,120}, (?:Failed|Predictive Failure)\)\s*$"),
)
# Name  : Physical Disk 0:3      and further down in the same block      State : Failed
NAMED = re.compile(r"^Name\s{1,40}: (?:Physical|Solid State) Disk \d")
STATE = re.compile(r"^State\s{1,40}: (?P<bad>Failed|Offline|Removed)?")
WATCHED = re.compile(
    r"\bzed(?:\[\d{1,9}\])?: eid=\d{1,9} class=statechange .{0,300}\bvdev_state=(?:FAULTED|UNAVAIL)\b|"
    r"\bFail(?:Spare)? event (?:detected )?on md device /dev/[\w/]{2,40}, component device /dev/(?P<of_log>\w{2,32})"
    r"|^It could be related to component device /dev/(?P<of_mail>\w{2,32})"
    r"|\bZFS has marked the device as faulted|\b[Pp]redictive failure reported for [Pp]hysical [Dd]isk \d"
    r"|\bFault detected on drive \d{1,3} in disk drive bay"
    r"|\b[Pp]hysical [Dd]isk \d{1,3}(?::\d{1,3}){1,2}.{0,80} (?:has )?failed\.?$"
)


def read(text: Text) -> Iterator[BlockDeviceTrouble]:
    named, told = False, 0  # told: the line of an array that names whom it dropped
    for line in text.matching(PARSER.pattern):
        row = line.text[:500]
        state = STATE.match(row)
        of_disk = named and state is not None and state["bad"] is not None
        named = NAMED.match(row) is not None or (named and state is None)
        gone = DROPPED.findall(row) if ARRAY.match(row) else []
        if gone:
            told = line.number
        elif BLOCKS.match(row) and line.number == told + 1:
            continue
        if found := FAULTY.match(row):
            gone = [found[1]]
        elif found := WATCHED.search(row):
            gone = [found["of_log"] or found["of_mail"]]
        for device in gone or ([None] if of_disk or any(pattern.match(row) for pattern in ROWS) else []):
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
        r"|^\d{1,4}/\d{1,4} +RAID\d{1,2} +(Dgrd|Pdgd|OfLn) |^\s{0,12}\d{1,16} blocks .{0,80}\] \[U{0,40}_[U_]{0,40}\]"
        r"|^\s{0,24}(connector|port) \S{1,8} box \S{1,4} bay \d{1,3}\s.{0,120}FAILED|^Device State\s{1,40}: FAILED"
        r"|^Name\s{1,40}: (Physical|Solid State) Disk \d|^State\s{1,40}: \w"
        r"|\bzed(\[\d{1,9}\])?: eid=\d{1,9} class=statechange "
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
