"""Memory errors and machine checks: EDAC, mce, APEI (GHES), the kernel's page-poisoning.

    EDAC MC1: 262 CE memory read error on CPU_SrcID#0_Ha#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x1f20b03 ...)
    EDAC MC3: 1 UE memory read error on CPU_SrcID#1_MC#1_Chan#2_DIMM#0 (...)
    mce: [Hardware Error]: CPU 12: Machine Check Exception: 5 Bank 4: b200000000070f0f
    {1}[Hardware Error]: event severity: corrected
    Memory failure: 0xe16677: Killing python:4242 due to hardware memory corruption

A corrected error lost nothing and is info; a count in the hundreds is a warning. "Machine check events logged"
says only that there is something to read elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence
from ..evidence.kernel import HostMemoryError, MachineCheck
from ..text import Text
from . import Parser
from ._table import CRITICAL, FATAL, INFO, WARNING, Hit, Row, Table

TABLE = Table(
    Row(r"EDAC (?:\w{1,20} )?MC\d+: (?P<count>\d{1,18}) (?P<type>CE|UE) .{0,60}?(?:on|label) "
        r"(?P<device>[^(]{1,120}?) ?(?:\(|$)", "memory"),
    Row(r"EDAC (?:\w{1,20} )?MC\d+: (?P<count>\d{1,18}) (?P<type>CE|UE) ", "memory"),
    Row(r"EDAC .{0,40}(?P<type>UE|CE) (?:row|page|memory)", "memory"),
    Row(r"Memory failure: 0x[0-9a-f]+: (?:Sending SIGBUS to|Killing) (?P<comm>.{1,32}?):(?P<pid>\d+) (?:due to )?",
        "killed", CRITICAL),
    Row(r"Memory failure: 0x[0-9a-f]+: (?:already hardware poisoned|recovery action|unhandlable|corrupted page)",
        "poisoned", CRITICAL),
    # before kernel 4.13
    Row(r"MCE(?: 0x[0-9a-f]+)?: Killing (?P<comm>.{1,32}?):(?P<pid>\d+) (?:due to|early due to)", "killed", CRITICAL),
    Row(r"soft_?offline: 0x[0-9a-f]+|Soft offlining p[fa]n?", "corrected", INFO),
    Row(r"mce: .{0,60}Uncorrected hardware memory error", "poisoned", CRITICAL),
    Row(r"\[Hardware Error\]: .{0,40}section_type: memory error", "section", INFO),
    Row(r"\[Hardware Error\]: event severity: (?P<level>corrected|recoverable|fatal|info)", "event"),
    Row(r"mce: (?:CPU\d+: .{0,20})?\[Hardware Error\]: CPU \d+: Machine Check Exception"
        "|Kernel panic - not syncing: .{0,20}[Mm]achine check", "exception", FATAL),
    Row(r"\[Hardware Error\]: CPU \d+: Machine Check(?: Event)?: (?:0|\d+) Bank \d+", "event-logged", INFO),
    Row(r"Machine check events logged|CMCI storm (?:detected|subsided)", "logged", INFO),
    Row(r"\[Hardware Error\]: (?:Uncorrected|Deferred)(?:, [\w ]{1,40})? error", "uncorrected", CRITICAL),
    # CPU:21 (19:21:0) MC5_STATUS[-|UE|MiscV|AddrV|PCC|TCC|SyndV|-|-|-]: 0xbea0000000000108
    Row(r"\[Hardware Error\]: (?:System Fatal error|CPU:\d+ .{0,40}MC\d+_STATUS\[(?:[\w-]{1,8}\|){1,4}?UE\|)",
        "exception", FATAL),
    # MC4 Error (node 3): DRAM ECC error detected on the NB.
    Row(r"\[Hardware Error\]: (?:MC\d+ Error.{0,20}|Northbridge Error.{0,20}): DRAM ECC error detected", "corrected",
        INFO),
    Row(r"\[Hardware Error\]: Corrected error", "corrected-check", INFO),
)  # fmt: skip
_MANY = 100
_UNCORRECTED = frozenset(("killed", "poisoned"))


def read(text: Text) -> Iterator[Evidence]:
    for hit in TABLE.hits(text):
        about = hit.row.about
        if about == "memory":
            yield _edac(hit)
        elif about in ("killed", "poisoned", "corrected"):
            yield HostMemoryError(
                source=hit.log.source(hit.line),
                subject=hit.subject,
                stamp=hit.message.stamp,
                severity=hit.row.severity,
                corrected=about not in _UNCORRECTED,
                text=hit.message.message[:500],
            )
        elif about == "section":
            yield _ghes(hit)
        elif not (about == "event" and _is_of_pcie(hit)):
            yield _check(hit)


def _is_of_pcie(hit: Hit) -> bool:
    """True for a firmware report whose section below says PCIe: `pcie` reads it."""
    return any("section_type: PCIe error" in line.text for line in hit.log.text.after(hit.line, limit=4))


def _edac(hit: Hit) -> HostMemoryError:
    corrected = hit.match["type"] == "CE"
    count = int(hit.match.groupdict().get("count") or 1)
    return HostMemoryError(
        source=hit.log.source(hit.line),
        subject=hit.subject,
        stamp=hit.message.stamp,
        severity=CRITICAL if not corrected else WARNING if count >= _MANY else INFO,
        corrected=corrected,
        count=count,
        text=hit.message.message[:500],
    )


def _ghes(hit: Hit) -> HostMemoryError:
    """A firmware report names its severity some lines above the section that says memory."""
    above = [line.text for line in hit.log.text.before(hit.line, limit=8)]
    corrected = not any(re.search(r"severity: (?:recoverable|fatal)", line) for line in above[:3] or above)
    return HostMemoryError(
        source=hit.log.source(hit.line),
        subject=hit.subject,
        stamp=hit.message.stamp,
        severity=INFO if corrected else CRITICAL,
        corrected=corrected,
        text=hit.message.message[:500],
    )


def _check(hit: Hit) -> MachineCheck:
    level = hit.match.groupdict().get("level")
    severity = {"recoverable": CRITICAL, "fatal": FATAL}.get(level or "", hit.row.severity)
    return MachineCheck(
        source=hit.log.source(hit.line),
        subject=hit.subject,
        stamp=hit.message.stamp,
        severity=severity,
        corrected=severity is INFO,
        text=hit.message.message[:500],
    )


PARSER = Parser(tool="EDAC, mce and APEI in the kernel log", medium="kernel-log", footprint=TABLE.footprint, read=read)
