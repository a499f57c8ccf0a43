"""`nfsiostat`, also with --attr and --dir.

    nas01:/export/ckpt mounted on /mnt/ckpt:
               ops/s       rpc bklog
               9.915          12.410
    write:             ops/s            kB/s           kB/op         retrans    avg RTT (ms)    avg exe (ms)
                       9.801       10039.911        1024.376   21456 (19.4%)         826.114        1631.157

One fact a mount with the values of every operation ("write_rtt_ms", "read_retransmitted_percent").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..evidence import Severity, Stamp, Subject
from ..evidence.storage import IoStatistics
from ..filesystems import identify
from ..footprint import footprint_of
from ..text import Line, Text
from . import Parser
from ._snapshot import source, stamp_before

# nas01:/export/ckpt mounted on /mnt/ckpt:
MOUNT = re.compile(r"^(\S+) mounted on (/.*):\s*$")
# write:             ops/s            kB/s           kB/op         retrans    avg RTT (ms) ...
OPERATION = re.compile(r"^(\w{1,30}): +ops/s\b(.*)$")
COLUMN = re.compile(r"(ops/s|kB/s|kB/op|retrans|avg RTT \(ms\)|avg exe \(ms\)|avg queue \(ms\)|errors)")
# 21456 (19.4%)
CELL = re.compile(r"(-?\d{1,15}(?:\.\d{1,6})?)(?: \((\d{1,3}(?:\.\d+)?)%\))?")
NAMES = {
    "ops/s": "ops_per_s",
    "kB/s": "kib_per_s",
    "retrans": "retransmitted",
    "avg RTT (ms)": "rtt_ms",
    "avg exe (ms)": "exe_ms",
    "avg queue (ms)": "queue_ms",
    "errors": "errors",
}


@dataclass
class Volume:
    """One mount of one report."""

    line: Line
    device: str
    mount: str
    stamp: Stamp | None
    values: dict[str, float] = field(default_factory=dict)
    worst: Line | None = None


def read(text: Text) -> Iterator[IoStatistics]:
    volume: Volume | None = None
    operation, columns = "", [""]
    for line in text.lines():
        row = line.text[:1000]
        if found := MOUNT.match(row):
            if volume:
                yield told(text, volume)
            volume, operation = Volume(line, found[1], found[2], stamp_before(text, line)), ""
        elif found := OPERATION.match(row):
            operation, columns = found[1].lower(), COLUMN.findall(row[len(found[1]) :])
        elif volume and operation and row.strip():
            note(volume, line, operation, columns, row)
            operation = ""
        elif volume and (found := re.match(r"^\s+(\d+\.\d+)\s+(\d+\.\d+)\s*$", row)):
            volume.values.setdefault("rpc_backlog", float(found[2]))
    if volume:
        yield told(text, volume)


def note(volume: Volume, line: Line, operation: str, columns: list[str], row: str) -> None:
    """The numbers under an operation's heading."""
    for column, (value, percent) in zip(columns, CELL.findall(row), strict=False):
        if column in NAMES:
            volume.values[f"{operation}_{NAMES[column]}"] = float(value)
        if column == "retrans" and percent:
            volume.values[f"{operation}_retransmitted_percent"] = float(percent)
    if troubled(volume.values, operation) and volume.worst is None:
        volume.worst = line


def troubled(values: dict[str, float], operation: str) -> bool:
    """True when the server answers late or not at all: one request in twenty resent, or half a second a call."""
    return values.get(f"{operation}_retransmitted_percent", 0) >= 5 or values.get(f"{operation}_rtt_ms", 0) >= 500


def told(text: Text, volume: Volume) -> IoStatistics:
    return IoStatistics(
        source=source(text, volume.worst or volume.line),
        subject=Subject(
            mount=volume.mount, device=volume.device, server=identify(volume.device, "nfs").server(volume.device)
        ),
        stamp=volume.stamp,
        severity=Severity.WARNING if volume.worst else Severity.INFO,
        values=volume.values,
    )


PARSER = Parser(
    tool="nfsiostat",
    medium="io-statistics",
    footprint=footprint_of(MOUNT),
    read=read,
)
