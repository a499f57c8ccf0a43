"""The management controller's event log: `ipmitool sel list` or `sel elist`.

      a1 | 02/18/2024 | 20:14:43 | Power Supply PS2 Status | Failure detected | Asserted
      12 | 02/18/2024 | 20:14:43 | Memory #0x53 | Uncorrectable ECC | Asserted

Rows that were deasserted, and routine ones (log cleared, timestamp clock sync), are skipped, and so is "Power off/down"
where the power came back: that is what switching a machine off and on looks like too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from ..evidence import Clock, Evidence, Severity, Source, Stamp, Subject
from ..evidence.kernel import HostMemoryError, PcieError, ThermalOrPowerMessage
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser

# " a1 | 02/18/2024 | 20:14:43 | Power Supply PS2 Status | Failure detected | Asserted"
ROW = re.compile(
    r"^\s{0,8}[0-9a-fA-F]{1,6} \| (?P<date>\d\d/\d\d/\d{2,4}|Pre-Init) {0,4}\| ?(?P<time>\d\d:\d\d:\d\d)?[^|\n]{0,12}"
    r"\| (?P<sensor>[^|\n]{1,80}?) \| (?P<event>[^|\n]{1,120}?(?:\([^()|\n]{0,80}\|[^()\n]{0,80}\))?)"
    r"(?: \| (?P<edge>Asserted|Deasserted)(?: \| [^|\n]{1,80})?\s*)?$"
)
POWER = re.compile(r"power (?:supply|unit)|\bPSU?\d?\b|voltage", re.I)
POWER_TROUBLE = re.compile(
    r"fail|lost|off/down|redundancy|lower critical|non-recoverable|predictive|AC lost|soft.power", re.I
)
OFF = "power off/down"
THERMAL = re.compile(r"temp|thermal|processor hot|fan", re.I)
THERMAL_TROUBLE = re.compile(r"critical|trip|non-recoverable|over.?temperature|lower critical", re.I)
MEMORY = re.compile(r"memory|dimm", re.I)
PCIE = re.compile(r"critical interrupt|pci", re.I)


def read(text: Text) -> Iterator[Evidence]:
    rows = [(line, row) for line in text.matching(PARSER.pattern) if (row := ROW.match(line.text))]
    back_on = {
        row["sensor"]: line.number for line, row in rows if row["edge"] == "Deasserted" and OFF in row["event"].lower()
    }
    for line, row in rows:
        switched = OFF in row["event"].lower() and back_on.get(row["sensor"], 0) > line.number
        if row["edge"] != "Deasserted" and not switched and (fact := _fact(text, line, row)):
            yield fact


def _fact(text: Text, line: Line, row: re.Match[str]) -> Evidence | None:
    source, stamp = Source(text.name, line.number, line.quote), _stamp(row["date"], row["time"])
    sensor, event = row["sensor"], row["event"]
    said = f"{sensor}: {event}"
    if MEMORY.search(sensor) and "correctable" in event.lower():
        corrected = "uncorrectable" not in event.lower()
        severity = Severity.WARNING if corrected else Severity.FATAL
        return HostMemoryError(
            source=source,
            subject=Subject(device=sensor),
            stamp=stamp,
            severity=severity,
            corrected=corrected,
            text=said,
        )
    if PCIE.search(sensor) and re.search(r"fatal|bus (?:correctable|uncorrectable)|PERR|SERR", event, re.I):
        level = "fatal" if re.search(r"fatal|uncorrectable|SERR", event, re.I) else "corrected"
        return PcieError(source=source, stamp=stamp, severity=Severity.CRITICAL, level=level, text=said)
    if POWER.search(sensor) and POWER_TROUBLE.search(event):
        return ThermalOrPowerMessage(source=source, stamp=stamp, severity=Severity.CRITICAL, about="power", text=said)
    if THERMAL.search(sensor) and THERMAL_TROUBLE.search(event):
        return ThermalOrPowerMessage(source=source, stamp=stamp, severity=Severity.WARNING, about="thermal", text=said)
    return None


def _stamp(date: str, time: str | None) -> Stamp | None:
    if time is None or "/" not in date:
        return None
    year = "%Y" if len(date) == 10 else "%y"
    try:
        moment = datetime.strptime(f"{date} {time}", f"%m/%d/{year} %H:%M:%S")
    except ValueError:
        return None
    return Stamp(Clock.LOCAL, moment.replace(tzinfo=UTC).timestamp())


PARSER = Parser(
    tool="ipmitool sel",
    medium="firmware-log",
    footprint=footprint_of(ROW),
    read=read,
)
