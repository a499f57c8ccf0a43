"""The record that a disk keeps of itself: `smartctl -a`, `nvme smart-log`.

    SMART overall-health self-assessment test result: FAILED!
      5 Reallocated_Sector_Ct   0x0033   001   001   036    Pre-fail  Always   FAILING_NOW 65528
    197 Current_Pending_Sector  0x0012   094   094   000    Old_age   Always       -       1064
    ATA Error Count: 16 (device log contains only the most recent five errors)
      40 51 c0 b0 92 94 40  Error: UNC at LBA = 0x009492b0 = 9736880
    - NVM subsystem reliability has been degraded
    critical_warning			: 0x4
    media_errors				: 812
    Unsafe Shutdowns:                   61

That is no trouble of the disk: it counts how often its power went away unannounced.

    S.M.A.R.T Status Bad, Backup and Replace.          (the machine's firmware, before it boots)
    # 1  Short offline       Completed: read failure       90%     19436         252214912
    Error 31 occurred at disk power-on lifetime: 8120 hours (338 days + 8 hours)

A disk that passes its test and counts nothing is skipped, and so are a few reallocated sectors, or a few errors in its
log: every old disk has some.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Subject
from ..evidence.kernel import BlockDeviceTrouble
from ..evidence.storage import PowerLosses
from ..text import Text
from . import Parser
from ._snapshot import source

# smartctl -a /dev/sdb      Smart Log for NVME device:nvme0n1 namespace-id:ffffffff
DEVICE = re.compile(r"\b(?:smartctl|nvme)\b.{0,80} /dev/([\w-]{2,32})\b|^Smart Log for NVME device:([\w-]{2,32})")
VERDICT = re.compile(
    "^SMART (?:overall-health self-assessment test result|Health Status): ?"
    r"(FAIL\w{0,8}!?|FAILURE PREDICTION.{0,80}|.{0,60}FAILURE.{0,60})"
    r"|(?:^|: FAILED )- (?:NVM subsystem reliability has been degraded|media has been placed in read only mode"
    "|available spare has fallen below threshold|volatile memory backup device has failed)"
    r"|\bS\.M\.A\.R\.T\.? Status B(?:ad|AD), Backup and Replace"
)
FAILING = re.compile(r"^\s{0,3}\d{1,3} [\w-]{3,40}\s.{0,80}\bFAILING_NOW\b")
# 197 Current_Pending_Sector  0x0012   094   094   000    Old_age   Always       -       1064
UNREADABLE = re.compile(
    r"^\s{0,3}(?:(?:187|197|198) )?(?:Reported_Uncorrect|Current_Pending_Sector|Offline_Uncorrectable)\s.{0,80}"
    r"(?:\s|raw=)(\d{1,12})\s*$"
)
# Media and Data Integrity Errors:    812        media_errors : 812
MEDIA = re.compile(r"^(?:Media and Data Integrity Errors|media_errors)\s{0,40}:\s{1,12}([\d,]{1,16})\s*$")
# Critical Warning:  0x04      critical_warning : 0x4
WARNED = re.compile(r"^(?:Critical Warning|critical_warning)(?:\s{0,40}:)?\s{1,40}(0x[0-9a-fA-F]{1,2}|\d{1,3})\b")
# (nvme error-log) status_field    : 0xc502(READ_ERROR: The read data could not be recovered from the media)
UNRECOVERED = re.compile(
    r"^\s{0,4}status_field\s{0,20}:\s{1,4}0x[0-9a-fA-F]{1,8}\s?\((?:READ_ERROR|WRITE_FAULT|UNRECOVERED)\b"
)
SELF_TEST = re.compile(r"^#\s?\d{1,2}\s{1,4}.{4,30}\sCompleted: (?:read failure|electrical failure|servo/seek failure)")
# ATA Error Count: 16 (device log contains only the most recent five errors)
COUNT = re.compile(r"^ATA Error Count: (\d{1,9})\b")
# Error 4363 occurred at disk power-on lifetime: 19435 hours (809 days + 19 hours)     Error 12 [11] occurred at ...
OCCURRED = re.compile(r"^Error (\d{1,9}) (?:\[\d{1,4}\] )?occurred at disk power-on lifetime: ")
#   5 Reallocated_Sector_Ct   0x0033   001   001   036    Pre-fail  Always       -       2104
REALLOCATED = re.compile(r"^\s{0,3}5 Reallocated_Sector_Ct\s.{0,80}\s(\d{1,12})\s*$")
# (error log)   40 51 08 40 f2 45 0d  Error: UNC 8 sectors at LBA = 0x0d45f240 = 222687808
ERROR_LOG = re.compile(r"^\s{0,4}(?:[0-9a-f]{2} ){6,8} {0,2}Error: (?:UNC|IDNF|AMNF)\b")
# Power Cycles:                       118      power_cycles : 118       12 Power_Cycle_Count       0x0032   099   099
# 000    Old_age   Always       -       118
SWITCHED_ON = re.compile(
    r"^(?:Power Cycles|power_cycles)\s{0,40}:\s{1,40}([\d,]{1,12})\b"
    r"|^\s{0,3}12 Power_Cycle_Count\s.{0,80}\s(\d{1,12})\s*$"
)
# Unsafe Shutdowns:                   61      unsafe_shutdowns : 61      174 Unexpect_Power_Loss_Ct  0x0032   100   100
# 000    Old_age   Always       -       61
UNANNOUNCED = re.compile(
    r"^(?:Unsafe Shutdowns|unsafe_shutdowns)\s{0,40}:\s{1,40}([\d,]{1,12})\b"
    r"|^\s{0,3}(?:174|192) (?:Unexpect\w{0,8}_Power_Loss\w{0,8}|Unsafe_Shutdown_Count|Power_Loss_Count)\s.{0,80}\s"
    r"(\d{1,12})\s*$"
)
MANY = 1000  # sectors that a disk has given up: a few dozen are its age
FEW = 10  # sectors that wait to be rewritten, or logged errors: below this a scratch, above it a disk that dies
RELIABILITY = 0b11101  # spare space, reliability, read-only, backup lost; the second bit is only heat


def read(text: Text) -> Iterator[Evidence]:
    device = None
    errors = 0  # in the log of the disk
    cycles = None
    for line in text.lines():
        row = line.text[:300]
        if found := DEVICE.search(row):
            device, cycles = found[1] or found[2], None
        elif found := COUNT.match(row) or OCCURRED.match(row):
            errors = max(int(found[1]), errors if found.re is OCCURRED else 0)
        elif found := SWITCHED_ON.match(row):
            cycles = _number(found)
        elif found := UNANNOUNCED.match(row):
            yield PowerLosses(
                source=source(text, line),
                subject=Subject(device=device),
                unannounced=_number(found),
                power_cycles=cycles,
            )
        elif about := _about(row, errors):
            yield BlockDeviceTrouble(
                source=source(text, line),
                subject=Subject(device=device),
                severity=Severity.CRITICAL,
                about=about,
                text=" ".join(row.split()),
            )


def _number(found: re.Match[str]) -> int:
    return int((found[1] or found[2]).replace(",", ""))


def _about(row: str, errors: int) -> str | None:
    if UNRECOVERED.match(row) or VERDICT.search(row) or FAILING.match(row):
        return "media-error"
    if ERROR_LOG.match(row):
        return "media-error" if errors >= FEW else None
    if found := WARNED.match(row):
        return "media-error" if int(found[1], 16 if "x" in found[1] else 10) & RELIABILITY else None
    if found := MEDIA.match(row):
        return "media-error" if int(found[1].replace(",", "")) >= FEW else None
    if found := UNREADABLE.match(row):
        return "media-error" if int(found[1]) >= FEW else None
    if found := REALLOCATED.match(row):
        return "media-error" if int(found[1]) >= MANY else None
    return "media-error" if SELF_TEST.match(row) else None


PARSER = Parser(
    tool="smartctl",
    medium="firmware-log",
    footprint=(
        "^SMART (overall-health|Health Status)|^Smart Log for NVME"
        r"|(^|: FAILED )- (NVM subsystem reliability|media has been placed|available spare has|volatile memory backup)"
        r"|\bS\.M\.A\.R\.T\.? Status B(ad|AD), Backup|^\s{0,3}(Current_Pending_Sector|Offline_Uncorrectable)\s"
        r"|^\s{0,3}\d{1,3} [\w-]{3,40}\s.{0,80}\bFAILING_NOW\b|^\s{0,3}(187|197|198) \w"
        "|Media and Data Integrity Errors|^media_errors|^critical_warning"
        r"|^\s{0,4}([0-9a-f]{2} ){6,8} {0,2}Error: (UNC|IDNF|AMNF)\b"
        r"|^\s{0,4}status_field\s{0,20}:\s{1,4}0x[0-9a-fA-F]{1,8}\s?\("
        f"|{SELF_TEST.pattern}|{REALLOCATED.pattern}|{UNANNOUNCED.pattern}"
    ),
    read=read,
)
