"""`nvidia-smi --query-gpu=... --format=csv` and `--query-compute-apps=...`, with or without units.

    index, utilization.gpu [%]
    0, 100 %

    pid, process_name, gpu_uuid, used_gpu_memory [MiB]
    21702, [Not Found], GPU-00000000-0000-0000-0000-000000000001, 11396 MiB

The header names the columns, or the command where a shell shows it above an output without one. Without either
(`noheader`) two kinds of row can be told apart from any other table of numbers: processes (a pid, its memory in MiB and
its name, in any order of the last two), and power draw and limit: the second is one round number, the same in every
row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Stamp, Subject
from ..evidence.gpu import GpuErrorCounts, GpuNotThrottled, GpuProcess, GpuStatus, GpuThrottle
from ..text import Line, Text, whole_number
from . import Parser
from ._gpu_card import BUSY_PERCENT
from ._numbers import leading_number
from ._pci import pci_address
from ._snapshot import source, stamp_of

# index, name, utilization.gpu [%], memory.used [MiB], ecc.errors.uncorrected.volatile.total
HEADER = re.compile(
    r"^(?:timestamp|time|index|name|gpu_name|uuid|gpu_uuid|gpu_bus_id|pci\.\w+|pid|serial|count|driver_version"
    "|process_name"
    r"|utilization\.\w+|memory\.\w+|power\.\w+|temperature\.\w+|clocks\.\w+|ecc\.\w+|used_\w+)\b[^,\n]{0,60}(?:, |$)"
)
COLUMN = re.compile(r"^([a-z_][\w.]*)(?: \[([^\]]{1,10})\])?$")
# $ nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv,noheader
# $ nvidia-smi --query-gpu=pstate,utilization.gpu --format=csv -l 60 | tail -5
COMMAND = re.compile(
    r"\bnvidia-smi\b.{0,200}--query-(?:gpu|compute-apps|accounted-apps)=([\w.,]{1,1000})"
    r"(?=.{0,200}(?:noheader|\| ?(?:tail|grep) ))"
)
# 201877, 11320 MiB, VLLM::Worker
APP = re.compile(
    r"^(?P<pid>\d{1,8}), (?:(?P<memory>\d{1,8}) MiB, (?P<name>[^,\n]{1,300})"
    r"|(?P<name2>[^,\n]{1,300}), (?P<memory2>\d{1,8}) MiB)$"
)
POWERS = re.compile(r"^(\d{1,4}\.\d{2}), (\d{2,4}\.00)$")
NUMERIC = re.compile(
    r"(?:index|gpu_index|pid|count|used_\w+|fan\.speed|utilization\.|memory\.|temperature\.|power\.|enforced\.power"
    r"|clocks\."
    r"|pcie\.link\.|ecc\.errors|remapped_rows\.|retired_pages\.)"
)
# 11396 MiB      98 %      Yes      [N/A]
VALUE = re.compile(r"(?:-?\d{1,12}(?:\.\d{1,12})?(?: ?[A-Za-z%]{1,5})?|Yes|No|N/A|ERR!|\[[^\[\]]{1,40}\])$")
FIELDS = {
    "utilization.gpu": "utilisation_percent",
    "memory.used": "memory_used_mib",
    "memory.total": "memory_total_mib",
    "temperature.gpu": "temperature_c",
    "temperature.memory": "memory_temperature_c",
    "power.draw": "power_w",
    "power.draw.instant": "power_w",
    "power.draw.average": "power_w",
    "power.limit": "power_limit_w",
    "enforced.power.limit": "power_limit_w",
    "clocks.sm": "sm_clock_mhz",
    "clocks.current.sm": "sm_clock_mhz",
    "clocks.gr": "sm_clock_mhz",
    "clocks.max.sm": "max_sm_clock_mhz",
    "clocks.max.gr": "max_sm_clock_mhz",
    "pcie.link.gen.current": "pcie_generation",
    "pcie.link.gen.gpucurrent": "pcie_generation",
    "pcie.link.gen.max": "max_pcie_generation",
    "pcie.link.gen.gpumax": "max_pcie_generation",
    "pcie.link.width.current": "pcie_width",
    "pcie.link.width.max": "max_pcie_width",
}
ERRORS = re.compile(r"^(?:ecc\.errors|remapped_rows|retired_pages)\.")
FLAGS = {"Yes": 1.0, "No": 0.0}  # of remapped_rows.pending and .failure
REASONS = re.compile(r"^clocks_(?:throttle|event)_reasons\.(\w+)$")
UNREADABLE = re.compile(r"^\[(?:Unknown Error|GPU is lost|GPU requires reset|Insufficient Permissions)\]$|^ERR!$")
# nvml.h, nvmlClocksEventReason*: the bits of clocks_event_reasons.active
REASON_BITS = (
    "gpu_idle applications_clocks_setting sw_power_cap hw_slowdown sync_boost sw_thermal_slowdown hw_thermal_slowdown "
    "hw_power_brake_slowdown display_clock_setting"
).split()
MASK = re.compile(r"^0x[0-9a-fA-F]{1,16}$")
NORMAL_REASONS = frozenset(
    {"gpu_idle", "applications_clocks_setting", "sw_power_cap", "sync_boost", "display_clock_setting"}
)


def read(text: Text) -> Iterator[Evidence]:
    columns: list[str] = []
    headed = False
    for line in text.lines():
        row = line.text[:4000].rstrip()
        if found := COMMAND.search(row):
            columns, headed = found[1].split(","), True
        elif HEADER.match(row) and (names := column_names(row)):
            columns, headed = names, True
        elif columns and (named := row_of(columns, row)):
            yield from facts(text, line, named)
        elif found := APP.match(row):
            named = {"pid": found["pid"], "used_memory": found["memory"] or found["memory2"]}
            yield from facts(text, line, {**named, "name": found["name"] or found["name2"]})
        else:
            columns = []
    if not headed:
        yield from powers(text)


def column_names(row: str) -> list[str]:
    """The columns of a header without their units, or nothing when it is none."""
    found = [COLUMN.match(cell.strip()) for cell in row.split(",")]
    return [cell[1] for cell in found if cell] if all(found) else []


def row_of(columns: list[str], row: str) -> dict[str, str]:
    """The cells of a row by their columns; nothing for a line in which no column of numbers holds one, or says N/A."""
    named = dict(zip(columns, (cell.strip() for cell in row.split(",", len(columns) - 1)), strict=False))
    numbers = [cell for name, cell in named.items() if NUMERIC.match(name)]
    return named if len(named) == len(columns) and (not numbers or any(map(VALUE.match, numbers))) else {}


def facts(text: Text, line: Line, row: dict[str, str]) -> Iterator[Evidence]:
    stamp = stamp_of(row["timestamp"]) if "timestamp" in row else None
    index = row.get("index", row.get("gpu_index", ""))
    pci = next((row[name] for name in ("pci.bus_id", "gpu_bus_id", "pci.bus") if name in row), None)
    subject = Subject(gpu=whole_number(index), pci=pci_address(pci) if pci else None)
    if (pid := whole_number(row.get("pid", ""))) is not None:
        memory = row.get("used_gpu_memory", row.get("used_memory", ""))
        yield GpuProcess(
            source=source(text, line),
            subject=Subject(pid=pid, gpu=subject.gpu, pci=subject.pci),
            stamp=stamp,
            name=row.get("process_name", row.get("name", "")),
            memory_mib=leading_number(memory),
            uuid=row.get("gpu_uuid"),
        )
        return
    counts = {
        name: int(value)
        for name, cell in row.items()
        if ERRORS.match(name) and (value := FLAGS.get(cell, leading_number(cell))) is not None
    }
    if counts:
        yield error_counts(text, line, subject, stamp, counts)
    for reason in active_reasons(row):
        yield GpuThrottle(
            source=source(text, line),
            subject=subject,
            stamp=stamp,
            severity=Severity.INFO if reason in NORMAL_REASONS else Severity.WARNING,
            reason=throttle_name(reason),
        )
    if is_free(row):
        yield GpuNotThrottled(source=source(text, line), subject=subject, stamp=stamp)
    values = {
        FIELDS[name]: value
        for name, cell in row.items()
        if name in FIELDS and (value := leading_number(cell)) is not None
    }
    faulty = next((cell for cell in row.values() if UNREADABLE.match(cell)), None)
    if values or faulty:
        yield GpuStatus(
            source=source(text, line),
            subject=subject,
            stamp=stamp,
            severity=Severity.CRITICAL if faulty else Severity.INFO,
            name=row.get("name", row.get("gpu_name", "")),
            uuid=row.get("uuid", row.get("gpu_uuid")),
            unreadable=faulty,
            **values,
        )


def active_reasons(row: dict[str, str]) -> list[str]:
    """The throttle reasons that a row shows to be active, each in a column of its own or as bits of one number."""
    named = {reason[1]: cell for name, cell in row.items() if (reason := REASONS.match(name))}
    found = [name for name, cell in named.items() if cell == "Active"]
    mask = named.get("active", "")
    if MASK.match(mask):
        found += [name for bit, name in enumerate(REASON_BITS) if int(mask, 16) >> bit & 1 and name not in found]
    return found


def is_free(row: dict[str, str]) -> bool:
    """True for a row of a busy GPU that was asked for what holds its clocks down, and names neither heat nor power."""
    cells = {reason[1]: cell for name, cell in row.items() if (reason := REASONS.match(name))}
    asked = MASK.match(cells.get("active", "")) or "Not Active" in (
        cells.get("hw_slowdown"),
        cells.get("hw_thermal_slowdown"),
    )
    busy = (leading_number(row.get("utilization.gpu")) or 0.0) >= BUSY_PERCENT
    return bool(asked) and busy and set(active_reasons(row)) <= NORMAL_REASONS


def throttle_name(reason: str) -> str:
    """`hw_power_brake_slowdown` as the full query prints it: HW Power Brake Slowdown."""
    words = (word.upper() if word in ("hw", "sw", "gpu") else word.capitalize() for word in reason.split("_"))
    return " ".join(words)


def error_counts(
    text: Text, line: Line, subject: Subject, stamp: Stamp | None, counts: dict[str, int]
) -> GpuErrorCounts:
    named = {error_name(name): value for name, value in counts.items()}
    bad = any(value for name, value in named.items() if "uncorrect" in name or "fail" in name or "pending" in name)
    return GpuErrorCounts(
        source=source(text, line),
        subject=subject,
        stamp=stamp,
        severity=Severity.CRITICAL if bad else Severity.INFO,
        counts=named,
    )


def error_name(column: str) -> str:
    """`ecc.errors.uncorrected.volatile.total` -> "volatile uncorrectable"."""
    words = column.split(".")
    if words[0] == "ecc":
        memory = "" if words[-1] == "total" else f" {words[-1]}"
        kind = {"corrected": "correctable", "uncorrected": "uncorrectable"}.get(words[2], words[2])
        return f"{words[3] if len(words) > 3 else ''}{memory} {kind}".strip()
    return " ".join(["remapped" if words[0] == "remapped_rows" else "retired", *words[1:]])


def powers(text: Text) -> Iterator[GpuStatus]:
    """Rows of draw and limit without a header; the nth row is the nth GPU."""
    rows = [(line, found) for line in text.lines() if (found := POWERS.match(line.text[:40].rstrip()))]
    if len({found[2] for _, found in rows}) != 1:
        return
    for number_, (line, found) in enumerate(rows):
        yield GpuStatus(
            source=source(text, line),
            subject=Subject(gpu=number_),
            power_w=float(found[1]),
            power_limit_w=float(found[2]),
        )


PARSER = Parser(
    tool="nvidia-smi --query",
    medium="gpu",
    footprint=(
        r"^(timestamp|time(?=, (temperature|fan|power|utilization|clocks|pstate)\b)|index|name|gpu_name|uuid"
        r"|gpu_uuid|gpu_bus_id|pci\.bus_id|pid|process_name|utilization\.gpu|power\.draw)"
        r"(, [a-z_.]+( \[[^\]\n]{1,10}\])?)+[ \t]*\r?$"
        r"|\bnvidia-smi\b.{0,200}--query-(gpu|compute-apps|accounted-apps)=[\w.,]{1,1000}"
        r".{0,200}(noheader|\| ?(tail|grep) )"
        r"|^\d{1,8}, (\d{1,8} MiB, [^,\n]{1,300}|[^,\n]{1,300}, \d{1,8} MiB)\r?$"
        r"|^(utilization\.gpu|memory\.used|power\.draw) \[|^\d{1,4}\.\d\d, \d{2,4}\.00\r?$"
    ),
    read=read,
)
