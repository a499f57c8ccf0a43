"""Counts of memory errors: `ras-mc-ctl --error-count` and `--summary`, `edac-util -v`, rasdaemon, and the counters
below /sys/devices/system/edac.

    Label                           CE      UE
    CPU_SrcID#0_MC#1_Chan#2_DIMM#0  12331   2

    mc0: csrow2: CPU_SrcID#0_Ha#0_Chan#1_DIMM#0: 262 Corrected Errors
    /sys/devices/system/edac/mc/mc1/dimm4/dimm_ce_count:812
        Corrected on DIMM Label(s): 'CPU_SrcID#0_Ha#0_Chan#1_DIMM#0' location: 0:1:0:-1 errors: 12331

    101 2022-10-16 11:49:30 +0000 181 Corrected error(s): memory scrubbing error at CPU_SrcID#1_MC#1_Chan#1_DIMM#0 location: 3:1:0:-1

Zeroes are skipped.
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Severity, Subject
from ..evidence.kernel import HostMemoryError
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source, stamp_of

HEADER = re.compile(r"^Label\s{1,60}CE\s{1,12}UE\s*$")
ROW = re.compile(r"^(\S.{0,80}?)\s{1,60}(\d{1,12})\s{1,12}(\d{1,12})\s*$")
# mc0: csrow2: CPU_SrcID#0_Ha#0_Chan#1_DIMM#0: 262 Corrected Errors
UTIL = re.compile(
    r"^mc\d{1,3}: (?:csrow\d{1,3}|.{1,40}?): (?P<label>.{1,80}): (?P<count>\d{1,12}) "
    "(?P<type>Corrected|Uncorrected) Errors"
)
# mc1: 2 Uncorrected Errors with no DIMM info
NO_PLACE = re.compile(
    r"^(?P<label>mc\d{1,3}): (?P<count>\d{1,12}) (?P<type>Corrected|Uncorrected) Errors with no DIMM info"
)
# mc_event: 2026-06-12 13:44:41 +0000 2 Uncorrected errors: memory read error on CPU_SrcID#0_MC#1_Chan#2_DIMM#0 (mc: 1
# ...)
DAEMON = re.compile(
    r"\bmc_event: .{0,60}?(?P<count>\d{1,9}) (?P<type>Corrected|Uncorrected|Fatal) errors?: .{0,60}? on "
    r"(?P<label>[^\s(]{1,80})"
)
#     Corrected on DIMM Label(s): 'CPU_SrcID#0_Ha#0_Chan#1_DIMM#0' location: 0:1:0:-1 errors: 12331
SUMMARY = re.compile(
    r"^\s{1,12}(?P<type>Corrected|Uncorrected|Fatal) on DIMM Label\(s\): '(?P<label>[^'\n]{1,80})' .{1,60} errors: "
    r"(?P<count>\d{1,12})"
)
# 101 2022-10-16 11:49:30 +0000 181 Corrected error(s): memory scrubbing error at CPU_SrcID#1_MC#1_Chan#1_DIMM#0
# location: 3:1:0:-1
EVENT = re.compile(
    r"^\d{1,9} \d{4}-\d\d-\d\d [\d:]{8} [+-]\d{4} (?P<count>\d{1,9}) "
    r"(?P<type>Corrected|Uncorrected|Fatal) error\(s\): .{0,60}? at (?P<label>\S{1,80}) location: "
)
# 2 2024-12-18 09:33:01 +0000 error: Corrected error, no action required., CPU 2, bank Unified Memory Controller ...
# addr=0x319deb440
CHECKED = re.compile(
    r"^\d{1,9} (?P<when>\d{4}-\d\d-\d\d [\d:]{8}) [+-]\d{4} error: .{0,200}\b"
    r"(?:Memory Controller|memory_channel|DIMM).{0,400}\baddr=(?P<address>0x[0-9a-f]{3,16})\b"
)
COUNTER = re.compile(
    r"^(?P<label>/sys/devices/system/edac/mc/\S{1,80}?)/(?:dimm_|ch\d_)?(?P<type>ce|ue)_count[: ]{1,3}"
    r"(?P<count>\d{1,12})\s*$"
)


def read(text: Text) -> Iterator[HostMemoryError]:
    table = False
    for line in text.lines():
        row = line.text[:300]
        if HEADER.match(row):
            table = True
        elif table and (found := ROW.match(row)):
            yield from told(text, line, found[1], int(found[2]), corrected=True)
            yield from told(text, line, found[1], int(found[3]), corrected=False)
        elif (
            found := UTIL.match(row)
            or NO_PLACE.match(row)
            or COUNTER.match(row)
            or SUMMARY.match(row)
            or EVENT.match(row)
            or DAEMON.search(row)
        ):
            yield from told(
                text, line, found["label"], int(found["count"]), corrected=found["type"] in ("Corrected", "ce")
            )
        elif found := CHECKED.match(line.text[:1000]):
            yield _checked(text, line, found)
        else:
            table = False


def _checked(text: Text, line: Line, found: re.Match[str]) -> HostMemoryError:
    corrected = "Uncorrected" not in line.text[:1000]
    return HostMemoryError(
        source=source(text, line),
        subject=Subject(),
        stamp=stamp_of(found["when"]),
        severity=Severity.WARNING if corrected else Severity.CRITICAL,
        corrected=corrected,
        text=f"{'corrected' if corrected else 'uncorrected'} memory error at addr {found['address']}",
    )


def told(text: Text, line: Line, label: str, count: int, *, corrected: bool) -> Iterator[HostMemoryError]:
    if count:
        yield HostMemoryError(
            source=source(text, line),
            subject=Subject(device=label),
            severity=Severity.WARNING if corrected else Severity.CRITICAL,
            corrected=corrected,
            count=count,
            text=f"{count} {'corrected' if corrected else 'uncorrected'} errors of {label}",
        )


PARSER = Parser(
    tool="ras-mc-ctl",
    medium="firmware-log",
    footprint=footprint_of(HEADER, UTIL, NO_PLACE, DAEMON, SUMMARY, EVENT, CHECKED, COUNTER),
    read=read,
)
