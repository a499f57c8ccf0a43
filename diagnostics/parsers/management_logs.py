"""Events of a host's health in a vendor's words: HPE's IML, Dell's iDRAC, Lenovo's XCC, Supermicro's, Redfish, node
health checks, and the daemon of a UPS.

    LOG: Uncorrectable Machine Check Exception (Board 0, Processor 1, APIC ID 0x00000010, Bank 0x00000005, ...)
    Description: Multi-bit memory errors detected on a memory device at location(s) DIMM_A3.
    "Message": "The power input for power supply 2 is lost.",
    Uncorrectable ECC / other uncorrectable memory error @P2-DIMMH2(CPU2) - Assertion
    check_hw_edac:  ECC errors detected - 31 corrected memory errors detected (limit of 9).

What is said to be repaired or restored is skipped. `ipmitool sel` has a parser of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Source, Subject
from ..evidence.kernel import HostMemoryError, MachineCheck, ThermalOrPowerMessage
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser

HARD_MEMORY = (
    r"[Mm]ulti-bit memory errors? (?:was |were )?detected",
    r"Uncorrectable [Mm]emory [Ee]rror",
    r"Uncorrectable ECC(?: / other uncorrectable memory error)? ?\(?@",
    r"[Uu]ncorrectable error (?:has been )?detected on (?:Memory device|DIMM)",
    # rasdaemon[1122]: mc_event store: ... mc_event 2024-05-11 10:11:12 +0000 1 Uncorrected error: memory read error on
    # CPU_SrcID#1_...
    r"\bmc_event\b.{0,120}\b\d{1,6} Uncorrected errors?: memory ",
    r"memory (?:device|module) .{0,80}has (?:failed|uncorrectable errors)",
)
SOFT_MEMORY = (
    r"[Cc]orrectable memory error (?:rate exceeded|logging disabled|limit reached|rate has increased)",
    r"Correct(?:ed|able) Memory Error [Tt]hreshold [Ee]xceeded",
    r"(?<!un)corrected memory errors detected \(limit of \d{1,9}\)",
    r"Corrected memory errors on page \w{1,20} exceed(?:ed)? threshold",
    r"Corrected (?:memory )?error count .{1,80} exceeded threshold",
    r"[Mm]emory [Ll]ogging [Ll]imit [Rr]eached",
    r"(?<![Nn]o )\b[Ff]ailing DIMM\b",
    r"[Pp]redictive [Ff]ailure.{0,40}\bDIMM|\bDIMM.{0,40}[Pp]redictive [Ff]ailure",
)
CHECKS = (
    r"Uncorrectable Machine Check Exception",
    r"CPU ?\d{1,3} (?:machine check error detected|has an internal error)",
    r"[Mm]achine check exception \(MCE\) (?:is |was )?detected",
)
POWER = (
    r"[Pp]ower input for power supply \d{1,2} is lost",
    r"[Pp]ower [Ss]upply \d{1,2} (?:has )?(?:failed|lost input|is lost|failure)",
    r"Power Supply Failure \(Power Supply",
    r"[Pp]ower supply redundancy is lost",
    r"System Power Fault Detected",
    r"Server Critical Fault .{0,80}\b(?:Regulator|Power|Voltage)\b",
    r"Input Power Loss or Unplugged Power Cord",
    r"Running on UPS batteries",
    r"\bUPS [\w.@-]{1,60} on battery\b",
)
KINDS = {"hard": HARD_MEMORY, "soft": SOFT_MEMORY, "check": CHECKS, "power": POWER}
EVENT = re.compile("|".join(f"(?P<{kind}>{'|'.join(words)})" for kind, words in KINDS.items()))
OVER = re.compile(r"\brepaired\b|\brestored\b|\bcleared\b|\bdeassert", re.I)
ASIDE = re.compile(r"^\s{0,8}[0-9a-fA-F]{1,6} \| .{1,80} \| ")  # a row of ipmitool
# DIMM_A3    (Processor 1, DIMM 4)    DIMM 5    Processor 1, Memory Module 3
PLACE = re.compile(
    r"\b(?:P\d-)?DIMM[_ ]?[A-Z]?\d{1,2}\b|\bProcessor \d{1,2}, (?:DIMM|Memory Module) \d{1,2}|\bMemory Module \d{1,2}"
)
COUNT = re.compile(r"(\d{1,9}) (?:un)?corrected memory errors")


def read(text: Text) -> Iterator[Evidence]:
    for line in text.matching(EVENT):
        said = line.text[:1000].strip()
        found = EVENT.search(said)
        if found and not OVER.search(said) and not ASIDE.search(said):
            yield _event(text, line, found.lastgroup or "", said)


def _event(text: Text, line: Line, kind: str, said: str) -> Evidence:
    source = Source(text.name, line.number, line.quote)
    if kind == "check":
        return MachineCheck(source=source, severity=Severity.FATAL, corrected=False, text=said[:500])
    if kind == "power":
        return ThermalOrPowerMessage(source=source, severity=Severity.CRITICAL, about="power", text=said[:500])
    place, count = PLACE.search(said), COUNT.search(said)
    return HostMemoryError(
        source=source,
        subject=Subject(device=place[0] if place else None),
        severity=Severity.FATAL if kind == "hard" else Severity.WARNING,
        corrected=kind == "soft",
        count=int(count[1]) if count else 1,
        text=said[:500],
    )


PARSER = Parser(
    tool="a management controller's or health check's log",
    medium="firmware-log",
    footprint=footprint_of(EVENT),
    read=read,
)
