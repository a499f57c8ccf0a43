"""`nvidia-smi pmon` and `nvidia-smi dmon`: one row a sample.

    # gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command
    # Idx           #    C/G      %      %      %      %      %      %    name
        1      21545     C     98     61      -      -      -      -    python3

The first comment line names the columns. `-` is nothing to say: a GPU without processes. `tviol` tells that heat holds
the clocks down. Of a long series the first and the last sample of each GPU are kept, and those that name a process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..evidence import Evidence, Severity, Subject
from ..evidence.gpu import GpuProcess, GpuProcessesNone, GpuStatus, GpuThrottle
from ..footprint import footprint_of
from ..text import Line, Text, whole_number
from . import Parser
from ._snapshot import source

# # gpu    pwr  gtemp  mtemp     sm    mem    enc    dec    jpg    ofa   mclk   pclk
HEADER = re.compile(r"^#(?: Date +Time)? +gpu +(?:pwr|pid|sm|fb|gtemp)\b[a-zA-Z ]*$")
FIELDS = {
    "pwr": "power_w",
    "gtemp": "temperature_c",
    "sm": "utilisation_percent",
    "pclk": "sm_clock_mhz",
    "fb": "memory_used_mib",
}
SERIES_LIMIT = 64


def read(text: Text) -> Iterator[Evidence]:
    columns: list[str] = []
    samples: list[tuple[Line, dict[str, str]]] = []
    processes = 0
    head: Line | None = None
    for line in text.lines():
        row = line.text[:400].rstrip()
        if HEADER.match(row):
            columns, head = row.lstrip("#").split(), line
        elif columns and row and not row.startswith("#"):
            cells = dict(zip(columns, row.split(None, len(columns) - 1), strict=False))
            if whole_number(cells.get("gpu", "")) is None:
                columns = []
            elif "pid" in cells:
                if whole_number(cells["pid"]) is not None:
                    processes += 1
                    yield process(text, line, cells)
            else:
                samples.append((line, cells))
    if head and "pid" in head.text.split() and not processes:
        yield GpuProcessesNone(source=source(text, head))
    for line, cells in kept(samples):
        yield status(text, line, cells)
        if cells.get("tviol", "-") not in ("-", "0"):
            yield GpuThrottle(
                source=source(text, line),
                subject=Subject(gpu=whole_number(cells["gpu"])),
                severity=Severity.WARNING,
                reason="Thermal Slowdown",
            )


def kept(samples: list[tuple[Line, dict[str, str]]]) -> list[tuple[Line, dict[str, str]]]:
    """All samples of a short series, the first and the last of each GPU of a long one."""
    if len(samples) <= SERIES_LIMIT:
        return samples
    ends = {cells["gpu"]: number for number, (_, cells) in enumerate(samples)}
    starts = {cells["gpu"]: number for number, (_, cells) in reversed(list(enumerate(samples)))}
    return [samples[number] for number in sorted({*ends.values(), *starts.values()})]


def process(text: Text, line: Line, cells: dict[str, str]) -> GpuProcess:
    return GpuProcess(
        source=source(text, line),
        subject=Subject(gpu=whole_number(cells["gpu"]), pid=whole_number(cells["pid"])),
        name=cells.get("command", ""),
        memory_mib=number(cells.get("fb", "-")),
    )


def status(text: Text, line: Line, cells: dict[str, str]) -> GpuStatus:
    values = {
        FIELDS[name]: value for name, cell in cells.items() if name in FIELDS and (value := number(cell)) is not None
    }
    return GpuStatus(source=source(text, line), subject=Subject(gpu=whole_number(cells["gpu"])), **values)  # type: ignore[arg-type]


def number(cell: str) -> float | None:
    return float(cell) if re.fullmatch(r"\d{1,9}(?:\.\d+)?", cell) else None


PARSER = Parser(
    tool="nvidia-smi pmon, dmon",
    medium="gpu",
    footprint=footprint_of(HEADER),
    read=read,
)
