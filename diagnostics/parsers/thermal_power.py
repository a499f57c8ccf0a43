"""Heat, power and platform firmware in the kernel log.

    CPU12: Package temperature above threshold, cpu clock throttled (total events = 1)
    thermal thermal_zone0: critical temperature reached (105 C), shutting down
    ACPI Error: AE_NOT_EXIST, Returned by Handler for [IPMI]

ACPI and firmware complain on most machines without any harm: they are kept as info. What they say while the machine
boots is about "boot": every boot prints it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.kernel import ThermalOrPowerMessage
from ..text import Text
from . import Parser
from ._table import CRITICAL, FATAL, INFO, WARNING, Hit, Row, Table

TABLE = Table(
    Row(r"(?P<device>CPU\d+): (?:Package|Core) temperature(?:/speed)? (?:is )?above threshold", "thermal", WARNING),
    Row(r"(?P<device>CPU\d+): (?:Package|Core) temperature/speed normal", "thermal", INFO),
    Row(r"(?P<device>CPU\d+): (?:Package|Core) power limit (?:notification|normal)", "power", INFO),
    Row(r"(?P<device>thermal_zone\d+): .{0,20}critical temperature reached|Critical temperature reached",
        "shutdown", FATAL),
    Row(r"(?:HARDWARE PROTECTION|hardware protection) (?:shutdown|reboot)|thermal[_ ]emergency|Overheat",
        "shutdown", FATAL),
    # amdgpu 0000:c3:00.0: amdgpu: GPU over temperature range(SW CTF) detected!      ERROR: GPU HW Critical Temperature
    # Fault(aka CTF) detected!
    Row(r"amdgpu: .{0,30}GPU (?:over temperature range|HW [Cc]ritical [Tt]emperature [Ff]ault)|due to GPU SW CTF",
        "thermal", CRITICAL),
    # amdgpu 0000:c9:00.0: amdgpu: WARN: GPU thermal throttling temperature reached, expect performance decrease.
    # HOTSPOT.
    Row(r"amdgpu: .{0,20}GPU thermal throttling temperature reached", "thermal", CRITICAL),
    # nvidia 0000:1b:00.0: HW power brake slowdown
    Row(r"(?:NVRM|nvidia [0-9a-f:.]{10,16}): .{0,60}power brake slowdown", "power", CRITICAL),
    # soctherm: OC ALARM 0x00000001      (a Jetson whose supply does not give what it draws)
    Row(r"\bsoctherm: OC ALARM 0x[0-9a-f]*[1-9a-f]", "power", CRITICAL),
    # NVRM: GPU0 thermal shutdown: GPU temperature 105C exceeded
    Row(r"NVRM: .{0,60}thermal shutdown|NVRM: .{0,60}[Tt]emperature .{0,40}exceed", "thermal", CRITICAL),
    Row(r"(?:[Hh]igh|[Oo]ver)[ -]?[Tt]emperature (?:event|detected|warning|shutdown)", "thermal", CRITICAL),
    Row(r"(?:[Pp]ower [Ss]upply|PSU)\b.{0,60}(?:fail|lost|redundancy)|[Pp]ower loss detected", "power", CRITICAL),
    Row(r"ipmi\S{0,10}: .{0,80}(?:BMC .{0,20}(?:not responding|in reset)|IPMI message handler: .{0,20}timeout)",
        "firmware", WARNING),
    Row(r"ACPI (?:BIOS )?(?:Error|Exception|Warning)\b", "acpi", INFO),
    Row(r"power_meter ACPI\w{1,8}:\d+: ", "acpi", INFO),
    Row(r"\[Firmware (?:Bug|Warn|Info)\]: ", "firmware", INFO),
    Row(r"reboot: (?:Power down|Restarting system|System halted)", "shutdown", INFO),
    Row(r"systemd-logind\S{0,12}: (?:Power key pressed|System is (?:rebooting|powering down))|Power key pressed"
        "|System is powering down|systemd-shutdown", "shutdown", INFO),
)  # fmt: skip


def read(text: Text) -> Iterator[ThermalOrPowerMessage]:
    for hit in TABLE.hits(text):
        yield ThermalOrPowerMessage(
            source=hit.log.source(hit.line),
            subject=hit.subject,
            stamp=hit.message.stamp,
            severity=hit.row.severity,
            about="boot" if _is_of_boot(hit) else hit.row.about,
            text=hit.message.message[:500],
        )


def _is_of_boot(hit: Hit) -> bool:
    return hit.row.about in ("acpi", "firmware") and hit.log.is_booting(hit.line, hit.message)


PARSER = Parser(tool="thermal, power and firmware messages", medium="kernel-log", footprint=TABLE.footprint, read=read)
